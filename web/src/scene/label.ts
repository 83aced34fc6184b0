// Names beside things and the sign of a centre of mass: small pictures that always face the reader, of one size on the screen.

import { CanvasTexture, LinearFilter, Sprite, SpriteMaterial } from "three";
import { lettering } from "../charts/lettering";

function picture(width: number, height: number, draw: (context: CanvasRenderingContext2D) => void): CanvasTexture {
  const scale = 2;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  draw(context);
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  texture.generateMipmaps = false;
  return texture;
}

function sprite(texture: CanvasTexture, width: number, height: number): Sprite {
  const one = new Sprite(new SpriteMaterial({ map: texture, depthTest: false, transparent: true, sizeAttenuation: false }));
  one.userData["pixels"] = [width, height];
  one.renderOrder = 10;
  one.raycast = () => {};
  return one;
}

const font = '13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

/** Beside its place: names of bodies and points on the right, those of joints, which often share a place with a point, on the left. */
export function name_label(text: string, ink: string, paper: string, side: "left" | "right" = "right"): Sprite {
  const shown = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  const measure = document.createElement("canvas").getContext("2d")!;
  measure.font = font;
  const width = measure.measureText(shown).width + 10;
  const height = 20;
  const texture = picture(width, height, (context) => {
    context.font = font;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = paper;
    context.strokeText(shown, 5, height / 2);
    context.fillStyle = ink;
    context.fillText(shown, 5, height / 2);
  });
  const one = sprite(texture, width, height);
  one.center.set(side === "right" ? -0.08 : 1.08, 0.1);
  return one;
}

export function mass_sign(ink: string, paper: string): Sprite {
  const size = 14;
  const texture = picture(size, size, (context) => {
    const c = size / 2;
    context.beginPath();
    context.arc(c, c, c - 1, 0, 2 * Math.PI);
    context.fillStyle = paper;
    context.fill();
    context.fillStyle = ink;
    for (const start of [0, Math.PI]) {
      context.beginPath();
      context.moveTo(c, c);
      context.arc(c, c, c - 1, start, start + Math.PI / 2);
      context.fill();
    }
    context.lineWidth = 1;
    context.strokeStyle = ink;
    context.beginPath();
    context.arc(c, c, c - 1, 0, 2 * Math.PI);
    context.stroke();
  });
  return sprite(texture, size, size);
}

// Sprites keep their size on the screen, with letters as large as those of the page: a picture of so many pixels in a view of `height` pixels
// with this field of view.
export function size_sprite(one: Sprite, height: number, fov: number): void {
  const [width, tall] = one.userData["pixels"] as [number, number];
  const unit = (2 * lettering() * Math.tan((fov * Math.PI) / 360)) / height;
  one.scale.set(width * unit, tall * unit, 1);
}
