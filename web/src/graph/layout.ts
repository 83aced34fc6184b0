// Where the bodies of a graph stand: by their distance from the ground along the tree, children beside one another
// under their parent (leaves take a row each, a parent stands in the middle of its children).

import type { Scene } from "../report";

export interface Place {
  name: string;
  depth: number;
  row: number;
}

/** Long and slender graphs are folded: bands of so many columns under one another, read to and fro. */
const columns_of_a_band = 4;

export function folded(places: Place[]): { places: Place[]; is_folded: boolean } {
  const deepest = Math.max(...places.map((one) => one.depth));
  const rows = Math.max(...places.map((one) => one.row)) + 1;
  if (deepest < 5 || rows > 2) return { places, is_folded: false };
  const fold = (one: Place): Place => {
    const band = Math.floor(one.depth / columns_of_a_band);
    const column = one.depth % columns_of_a_band;
    return { ...one, depth: band % 2 ? columns_of_a_band - 1 - column : column, row: band * rows + one.row };
  };
  return { places: places.map(fold), is_folded: true };
}

/** Bodies and joints as the model file has them: sections of a beam, to which things are hinged, are the beam. */
export function whole(scene: Scene): Pick<Scene, "bodies" | "joints"> {
  const hidden = new Set(scene.bodies.filter((body) => body.hidden).map((body) => body.name));
  const beam_of = new Map(scene.joints.filter((joint) => joint.type === "section" && hidden.has(joint.child)).map((joint) => [joint.child, joint.parent]));
  const name = (one: string): string => beam_of.get(one) ?? one;
  return {
    bodies: scene.bodies.filter((body) => !beam_of.has(body.name)),
    joints: scene.joints.filter((joint) => !beam_of.has(joint.child) || joint.type !== "section").map((joint) => ({ ...joint, parent: name(joint.parent), child: name(joint.child) })),
  };
}

export function layout(scene: Pick<Scene, "bodies" | "joints">): Place[] {
  const children = new Map<string, string[]>();
  const has_parent = new Set<string>();
  for (const joint of scene.joints) {
    if (joint.cut || has_parent.has(joint.child) || joint.child === scene.bodies[0]?.name) continue;
    has_parent.add(joint.child);
    children.set(joint.parent, [...(children.get(joint.parent) ?? []), joint.child]);
  }
  const places = new Map<string, Place>();
  let rows = 0;
  const visit = (name: string, depth: number): number => {
    if (places.has(name)) return places.get(name)!.row;
    const place: Place = { name, depth, row: 0 };
    places.set(name, place);
    const own = (children.get(name) ?? []).filter((child) => !places.has(child)).map((child) => visit(child, depth + 1));
    place.row = own.length ? (Math.min(...own) + Math.max(...own)) / 2 : rows++;
    return place.row;
  };
  for (const body of scene.bodies) if (!has_parent.has(body.name)) visit(body.name, 0);
  for (const body of scene.bodies) visit(body.name, 0); // whatever is left hangs on nothing
  return scene.bodies.map((body) => places.get(body.name)!);
}
