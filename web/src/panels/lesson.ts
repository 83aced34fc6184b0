// The worked derivation, one step at a time.

import "../style/equations.css";
import { el } from "../element";
import { blocks_of } from "../math/blocks";
import type { Equations } from "../report";

export type Step = NonNullable<Equations["lesson"]>[number];

/** "3. The title": a number that the title brings along is not told twice. */
export const step_title = (step: Step, i: number): string => `${i + 1}. ${step.title.replace(/^(?:step\s+)?\d+[.:]\s*/i, "")}`;

export function lesson(steps: readonly Step[]): HTMLElement {
  const shown = el("article", { class: "lesson-step", tabindex: -1 });
  const where = el("span", { class: "sans soft" });
  const back = el("button", { type: "button", onclick: () => go(at - 1, true) }, "← Back");
  const next = el("button", { type: "button", onclick: () => go(at + 1, true) }, "Next →");
  const choice = el("select", { "aria-label": "Step", onchange: () => go(choice.selectedIndex) },
    ...steps.map((step, i) => el("option", { value: i }, step_title(step, i))));
  const progress = el("progress", { max: steps.length, "aria-label": "How far the derivation is" });
  let at = -1;
  const go = (to: number, is_asked = false): void => {
    at = Math.min(Math.max(to, 0), steps.length - 1);
    const step = steps[at]!;
    shown.replaceChildren(
      el("h3", {}, step_title(step, at)),
      ...(step.text ? step.text.split(/\n{2,}/).map((text) => el("p", {}, text)) : []),
      ...blocks_of(step.blocks ?? []),
      ...(step.citation ? [el("p", { class: "citation" }, step.citation)] : []));
    where.textContent = `Step ${at + 1} of ${steps.length}`;
    progress.value = at + 1;
    choice.selectedIndex = at;
    back.disabled = at === 0;
    next.disabled = at === steps.length - 1;
    if (is_asked) shown.focus({ preventScroll: true });
  };
  shown.addEventListener("keydown", (event) => {
    if ((event.target as Element) !== shown) return;
    if (event.key === "ArrowRight") go(at + 1, true);
    if (event.key === "ArrowLeft") go(at - 1, true);
  });
  go(0);
  return el("div", { class: "lesson" }, el("div", { class: "row lesson-bar" }, back, next, choice, where), progress, shown);
}
