// Sliders: parameters that the reader may pull. The page then computes the motion and the poles anew; the recorded motion stays as a ghost.

import "../style/analysis.css";
import { fraction, value_of, type Scale } from "../charts/scale";
import { el, format_number } from "../element";
import { live_session, type LiveSession } from "../live/session";
import { raised } from "../math/raised";
import type { Parameter, Report } from "../report";
import { initial_parameters, type Shared } from "../shared";

const positions = 1000;

/** Over more than two decades a slider moves by factors. */
export function scale_for(one: Parameter): Scale {
  const [min, max] = [one.min ?? Math.min(0, 2 * one.value), one.max ?? (one.value === 0 ? 1 : Math.max(0, 2 * one.value))];
  return { kind: min > 0 && max / min > 100 ? "log" : "linear", min, max };
}

/** Short enough to read: the digits that a step of the slider moves. */
export function rounded(value: number, scale: Scale): number {
  const step = scale.kind === "log" ? value * 0.001 : (scale.max - scale.min) / positions;
  const digits = Math.max(0, Math.min(12, Math.ceil(-Math.log10(Math.abs(step) || 1))));
  return Math.min(scale.max, Math.max(scale.min, Number(value.toFixed(digits))));
}

function slider(one: Parameter, index: number, shared: Shared): HTMLElement {
  const scale = scale_for(one);
  const set = (value: number): void => {
    if (!Number.isFinite(value)) return show();
    const next = shared.parameters.get().slice();
    next[index] = Math.min(scale.max, Math.max(scale.min, value));
    shared.parameters.set(next);
  };
  const id = `slider-${index}`;
  const range = el("input", {
    id, type: "range", min: 0, max: positions, step: 1,
    oninput: () => set(rounded(value_of(scale, range.valueAsNumber / positions), scale)),
  });
  const field = el("input", {
    type: "number", step: "any", min: scale.min, max: scale.max, "aria-label": `${one.name}${one.unit ? `, in ${one.unit}` : ""}`,
    onchange: () => set(field.valueAsNumber),
  });
  const reset = el("button", { type: "button", class: "quiet", "aria-label": `${one.name}: back to ${format_number(one.value)}`, title: `Back to ${format_number(one.value)}`, onclick: () => set(one.value) }, "↺");
  const box = el("div", { class: "slider", "data-parameter": one.name },
    el("label", { class: "slider-name", for: id }, one.name, one.about && el("span", { class: "soft" }, `  ${one.about}`)),
    el("span", { class: "slider-value" }, field, el("span", { class: "unit" }, raised(one.unit)), reset),
    range);
  const show = (): void => {
    const value = shared.parameters.get()[index]!;
    range.value = String(Math.round(positions * fraction(scale, value)));
    range.setAttribute("aria-valuetext", `${format_number(value)} ${one.unit}`);
    field.value = String(Number(value.toPrecision(10)));
    box.classList.toggle("is-changed", value !== one.value);
    reset.disabled = value === one.value;
  };
  shared.parameters.listen(show, true);
  return box;
}

export function sliders(report: Report, shared: Shared): HTMLElement {
  const live = report.parameters.flatMap((one, i) => (one.live ? [{ one, i }] : []));
  const session = live_session(shared);
  const all = el("button", { type: "button", onclick: () => shared.parameters.set(initial_parameters(report.parameters)) }, "Reset all");
  session.changed.listen((changed) => (all.disabled = !changed), true);
  return el("section", { class: "sliders card", "aria-labelledby": "sliders-title" },
    el("div", { class: "row spread" }, el("h2", { id: "sliders-title" }, "Change parameters"), all),
    !shared.model && el("p", { class: "note" }, "The equations cannot run in this page; parameters stay as they are."),
    report.live.why_not !== "" && el("p", { class: "note" }, `The motion does not follow these here: ${report.live.why_not}.`),
    shared.model && pole_note(report, session),
    ...(shared.model ? live.map(({ one, i }) => slider(one, i, shared)) : []),
    ...status(report, shared, session));
}

/** What the poles do where that is not plain. */
function pole_note(report: Report, session: LiveSession): HTMLElement | null {
  if (!report.analysis?.modes.length) return null;
  const note = el("p", { class: "note" });
  const stay = "Poles stay as recorded: the page does not find those of the file, which away from an equilibrium depend on the choice of coordinates.";
  session.poles_follow.listen((follow) => {
    note.textContent = follow === false ? stay : report.live.why_not !== "" ? "Poles follow." : report.live.sampling.length ? "Poles are those of filters that work all the time; the motion samples them." : "";
    note.hidden = note.textContent === "";
  }, true);
  return note;
}

/** What the change did: frequencies then and now, how far the motion is, what went wrong. */
function status(report: Report, shared: Shared, session: LiveSession): HTMLElement[] {
  const bar = el("progress", { max: 1, "aria-label": "Computing the motion" });
  const text = el("p", { class: "sliders-status soft", role: "status" });
  const recorded = (report.analysis?.modes ?? []).filter((one) => one.pole[1] !== 0).map((one) => one.frequency);
  const hz = (list: number[]): string => `${list.slice(0, 4).map((f) => format_number(f)).join(", ")}${list.length > 4 ? " …" : ""} Hz`;
  const tell = (): void => {
    const trouble = session.trouble.get();
    const now = session.linear.get()?.modes.filter((one) => one.pole[1] !== 0).map((one) => one.frequency) ?? [];
    text.classList.toggle("not-ok", trouble !== "");
    if (trouble) text.textContent = trouble;
    else if (!session.changed.get()) text.textContent = recorded.length ? `Frequencies ${hz(recorded)}.` : "Pull a parameter: the motion follows.";
    else if (now.length) text.textContent = `Frequencies ${hz(now)}${recorded.length ? `; were ${hz(recorded)}` : ""}.`;
    else text.textContent = shared.live.get() ? "The motion is computed in this page; the recorded one is its ghost." : "";
  };
  session.progress.listen((progress) => {
    bar.classList.toggle("is-running", progress !== null);
    if (progress !== null) bar.value = progress;
  }, true);
  for (const one of [session.trouble, session.changed, session.linear, shared.live]) one.listen(tell);
  tell();
  return [bar, text];
}
