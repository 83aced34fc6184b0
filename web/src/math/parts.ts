// Parts of a sheet: a title each, and its blocks when it is open.

import { el } from "../element";
import type { Part } from "../report";
import { blocks_of } from "./blocks";

export function parts_of(parts: readonly Part[]): HTMLElement {
  return el("div", { class: "parts" }, ...parts.map(part_of));
}

/** The blocks of a part that is closed are made when it is opened; those of all parts before the page is printed. */
function part_of(part: Part): HTMLElement {
  const body = el("div", { class: "part-body" });
  const fill = (): void => {
    if (!body.hasChildNodes()) body.append(...blocks_of(part.blocks));
  };
  const details = el("details", { class: "part card", open: !part.collapsed, "data-part": part.id, ontoggle: () => details.open && fill() },
    el("summary", {}, el("h3", {}, part.title)), body);
  if (!part.collapsed) fill();
  return details;
}
