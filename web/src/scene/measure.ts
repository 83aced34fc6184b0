// The scene with the measures of one set of parameters.
//
// The report's scene has the numbers of the model file. Those that depend on live parameters are named by paths
// (`scene.geometry`), and the code's geometry(c) gives their values in that order.

import type { Scene } from "../report";
import type { Model, Numbers } from "../model";

function put(target: any, path: (string | number)[], value: number): void {
  for (const key of path.slice(0, -1)) target = target?.[key];
  const last = path[path.length - 1];
  if (target !== null && typeof target === "object" && last !== undefined) target[last] = value;
}

export function measured(scene: Scene, model: Model | null, c: Numbers | null): Scene {
  if (!scene.geometry.length || !model?.geometry || !c) return scene;
  const numbers = model.geometry(c);
  // meshes are large and never depend on parameters: they are carried over, not copied
  const copy: Scene = structuredClone({ ...scene, shapes: scene.shapes.map((shape) => ({ ...shape, mesh: null })) });
  copy.shapes.forEach((shape, i) => (shape.mesh = scene.shapes[i]!.mesh));
  scene.geometry.forEach((path, i) => {
    const value = numbers[i];
    if (value !== undefined && Number.isFinite(value)) put(copy, path, value);
  });
  return copy;
}
