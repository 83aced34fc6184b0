// Modes: their table, the plane of their poles, and a button each that lets the mechanism sway.

import { el, format_number } from "../element";
import { live_session } from "../live/session";
import { make_sway } from "../live/sway";
import type { Report } from "../report";
import type { Shared, Sway } from "../shared";
import { computed_modes, pole_text, recorded_modes, type ShownModes } from "./modes";
import { pole_plane } from "./pole_plane";

export function modes_card(report: Report, shared: Shared): HTMLElement {
  const session = live_session(shared);
  const recorded = recorded_modes(report, shared.model);
  let shown: ShownModes = recorded;
  let chosen: number | null = null;
  let mine: Sway | null = null; // what this card set
  const trouble = el("p", { class: "note", role: "status", hidden: true });
  const rows = el("tbody", {});
  const caption = el("p", { class: "sans soft" });

  const tell = (text: string): void => {
    trouble.textContent = text;
    trouble.hidden = text === "";
  };
  const can_sway = (i: number): boolean => shared.model !== null && shown.state !== null && (shown.list[i]?.shape.length ?? 0) > 0;
  const start = (i: number): void => {
    const mode = shown.list[i];
    if (!mode || !can_sway(i)) return;
    chosen = i;
    try {
      mine = make_sway({
        model: shared.model!, name: `Mode ${i + 1}: ${mode.text}`, shape: mode.shape, state: shown.state!, p: shown.p,
        bodies: report.scene.bodies.length - 1, size: report.scene.size,
      });
      tell("");
      shared.playing.set(false);
      shared.sway.set(mine);
    } catch (error) {
      tell(`This mode cannot be shown: ${(error as Error).message}`);
    }
  };
  const stop = (): void => {
    chosen = mine = null;
    shared.sway.set(null);
  };
  const toggle = (i: number): void => (chosen === i ? stop() : start(i), mark());

  const plane = pole_plane(() => ({
    poles: shown.list.map((one) => one.pole),
    ghosts: shown.is_live ? recorded.list.map((one) => one.pole) : [],
    chosen,
    choose: shared.model ? toggle : undefined,
  }));
  const mark = (): void => {
    [...rows.children].forEach((row, i) => {
      row.classList.toggle("is-chosen", chosen === i);
      row.querySelector("button")?.setAttribute("aria-pressed", String(chosen === i));
    });
    plane.redraw();
  };
  const fill = (): void => {
    rows.replaceChildren(...shown.list.map((mode, i) => el("tr", {},
      el("td", { class: "number" }, String(i + 1)),
      el("td", {}, can_sway(i) && el("button", { type: "button", class: "sway", "aria-pressed": "false", "aria-label": `Let the mechanism sway in mode ${i + 1}`, onclick: () => toggle(i) }, "Sway")),
      el("td", { class: "number" }, mode.pole[1] === 0 ? "" : format_number(mode.frequency)),
      el("td", { class: "number" }, mode.pole[1] === 0 ? "" : format_number(mode.damping, 3)),
      el("td", { class: "number pole-cell" }, pole_text(mode.pole)),
      el("td", {}, mode.text))));
    caption.textContent = shown.is_live
      ? "Computed in this page for the parameters of the sliders; circles are the recorded poles."
      : "A mode that is chosen here or in the plane moves the mechanism in the scene, with an amplitude for the eye.";
    tell(shown.note);
    mark();
  };
  session.linear.listen((live) => {
    shown = live ? computed_modes(live) : recorded;
    const was = chosen;
    if (was !== null && shared.sway.get() === mine) start(Math.min(was, shown.list.length - 1));
    fill();
  });
  shared.sway.listen((sway) => {
    if (sway === mine) return;
    chosen = null;
    mark();
  });
  fill();
  return el("div", { class: "card" },
    el("h3", {}, "Modes and poles"), caption,
    el("div", { class: "beside" },
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of modes" }, el("table", { class: "modes" },
        el("thead", {}, el("tr", {}, ...["", "", "Hz", "damping", "pole, 1/s", ""].map((title, i) => el("th", { scope: "col", class: [2, 3, 4].includes(i) ? "number" : "" }, title || el("span", { class: "unseen" }, ["number", "show", "", "", "", "in words"][i]!))))),
        rows)),
      plane.element),
    trouble);
}
