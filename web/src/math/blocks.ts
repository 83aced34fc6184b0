// Blocks of a report's text (paragraphs, formulas, tables) as elements.

import { el, type Child } from "../element";
import type { Block, Run } from "../report";
import { displayed, inline } from "./typeset";

export function runs_of(runs: readonly Run[]): Child[] {
  return runs.map((run) => {
    if (run.latex !== undefined) return inline(run.latex);
    if (run.strong !== undefined) return el("strong", {}, run.strong);
    return run.text ?? "";
  });
}

export function block_of(block: Block): HTMLElement {
  switch (block.kind) {
    case "formula":
      return displayed(block.latex, block.plain ?? block.latex, block.number ?? null);
    case "table":
      return el("div", { class: "scroll", tabindex: 0, role: "group" },
        el("table", { class: "block-table" }, el("tbody", {},
          ...block.rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, ...runs_of(cell))))))));
    case "text":
      return el("p", {}, ...runs_of(block.runs));
    default: // of a later version
      return el("p", { class: "note" }, "A block of a kind that this page does not know.");
  }
}

export const blocks_of = (blocks: readonly Block[]): HTMLElement[] => blocks.map(block_of);
