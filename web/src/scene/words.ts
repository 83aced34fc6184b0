// What is said of a thing under the pointer.

import { format_number } from "../element";
import type { Report } from "../report";
import type { Thing } from "../shared";

export function describe(report: Report, thing: Thing): string {
  const { scene } = report;
  if (thing.kind === "body") {
    const body = scene.bodies.find((one) => one.name === thing.name);
    if (!body) return thing.name;
    return body === scene.bodies[0] ? body.name : `${body.name}: ${body.mass > 0 ? `${format_number(body.mass)} kg` : "no mass"}`;
  }
  if (thing.kind === "joint") {
    const joint = scene.joints.find((one) => one.name === thing.name);
    if (!joint) return thing.name;
    const coordinates = joint.coordinates.length ? `, ${joint.coordinates.join(", ")}` : "";
    return `${joint.name}: ${joint.type}, ${joint.parent} to ${joint.child}${joint.cut ? ", cut" : ""}${coordinates}`;
  }
  return `${thing.name} (${thing.kind})`;
}
