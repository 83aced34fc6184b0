// Trust: what was proved, what drifts, which command made the page, and whether what stands in it is what was hashed.

import "../style/analysis.css";
import { copy_button } from "../code/listing";
import { el, format_number } from "../element";
import { compute_again, type Again } from "../live/again";
import { run_in_slices } from "../live/slices";
import { raised } from "../math/raised";
import { sha256 } from "../math/sha256";
import type { Report, Trust } from "../report";
import type { Shared } from "../shared";

export function trust(report: Report, shared: Shared): HTMLElement {
  const t = report.trust;
  if (!t) return el("p", { class: "note" }, "This page was made without checks.");
  return el("div", { class: "trust" },
    certificate(t),
    t.checks.length > 0 && checks(t),
    t.tolerances.length > 0 && tolerances(t),
    again(report, shared),
    hashes(report, t),
    origin(report, t));
}

const verdict = (ok: boolean, text: string): HTMLElement =>
  el("span", { class: ok ? "ok" : "not-ok" }, `${ok ? "✓" : "✗"} ${text}`);
const shown = (value: string | number): string => (typeof value === "number" ? format_number(value, 3) : value);

function certificate(t: Trust): HTMLElement {
  const c = t.certificate;
  if (!c) return el("div", { class: "card" }, el("h3", {}, "Certificate"), el("p", { class: "note" }, "The equations of this page were not proved: it was made without the certificate of linkwright prove."));
  const bound = raised(shown(c.bound ?? ""));
  return el("div", { class: "card" },
    el("h3", {}, "Certificate"),
    el("p", {}, verdict(c.proved, c.proved ? "Proved" : "Not proved"), c.verdict && !/^(not )?proved$/i.test(c.verdict) ? `: ${c.verdict}` : ""),
    ...(c.text ? c.text.split(/\n{2,}/).map((text) => el("p", {}, raised(text))) : []),
    bound && !c.text.includes(String(c.bound)) ? el("p", { class: "sans" }, "Probability of error at most ", el("strong", {}, bound), ".") : null,
    c.formulations.length > 0 && listed(`What was compared: ${c.formulations.length}`, c.formulations),
    c.not_proved.length > 0 && listed("What this does not show", c.not_proved, true));
}

const listed = (title: string, items: readonly string[], open = false): HTMLElement =>
  el("details", { open }, el("summary", {}, title), el("ul", { class: "block-list sans" }, ...items.map((one) => el("li", {}, one))));

function checks(t: Trust): HTMLElement {
  return el("div", { class: "card" },
    el("h3", {}, "Checks of the motion"),
    el("div", { class: "scroll", tabindex: 0, role: "group" }, el("table", { class: "checks" },
      el("tbody", {}, ...t.checks.map((one) => el("tr", {},
        el("th", { scope: "row" }, one.name),
        el("td", { class: "number" }, shown(one.value)),
        el("td", {}, verdict(one.ok, one.ok ? "fine" : "look")),
        el("td", {}, raised(one.text))))))));
}

function tolerances(t: Trust): HTMLElement {
  return el("div", { class: "card" },
    el("h3", {}, "The same motion with other tolerances"),
    el("div", { class: "scroll", tabindex: 0, role: "group" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "number" }, "tolerance"), el("th", { scope: "col", class: "number" }, "how far its end is away"))),
      el("tbody", {}, ...t.tolerances.map((one) => el("tr", {},
        el("td", { class: "number" }, format_number(one.tolerance, 2)),
        el("td", { class: "number" }, format_number(one.difference, 3))))))));
}

/** The page's own integrator on the page's own code, against the recorded motion. */
function again(report: Report, shared: Shared): HTMLElement | null {
  const { model } = shared;
  const recorded = shared.motions[0];
  if (!model || !recorded || recorded.t.length < 2) return null;
  const told = el("p", { class: "sans", role: "status" });
  const run = async (): Promise<void> => {
    button.disabled = true;
    try {
      const found = await run_in_slices(compute_again(model, report, recorded), () => false, (done) => (told.textContent = `Computing: ${Math.round(100 * done)} %`));
      told.replaceChildren(...words_of(found!));
    } catch (error) {
      told.textContent = `It could not be computed: ${(error as Error).message}.`;
    }
    button.disabled = false;
  };
  const button = el("button", { type: "button", onclick: () => void run() }, "Compute the motion again");
  return el("div", { class: "card again" },
    el("h3", {}, "Computed again by you"),
    el("p", { class: "sans soft" }, "This page has the equations as code and an integrator of its own. It can compute the recorded motion once more and compare."),
    button, told);
}

function words_of(found: Again): (HTMLElement | string)[] {
  const is_close = found.difference <= 1e-4 && found.ended === "";
  const where = found.name ? ` (${found.name} at t = ${format_number(found.t)} s)` : "";
  return [
    verdict(is_close, is_close ? "agrees" : "differs"), `: the largest difference of coordinates and speeds is ${format_number(found.difference, 2)}${where}, of their largest values. `,
    is_close ? "" : found.ended ? `The motion of the page ${found.ended}.` : "Motions that multiply small differences do this, and controllers that sample, events and inputs from a file, which the code does not know.",
  ];
}

/** What this page can compute itself, by the name of what is hashed; null: it has nothing of that name. */
function own_hash(what: string, report: Report): { hash: string; how: string } | null {
  const name = what.toLowerCase();
  if (name.includes("model")) return { hash: sha256(report.model.text), how: "computed from the model file in this page" };
  if (name.includes("equation") && report.equations?.hash) return { hash: report.equations.hash, how: "the one that the equations of this page carry" };
  const code = document.getElementById("linkwright-code")?.textContent;
  if (name.includes("code") && code) return { hash: sha256(equations_of(code)), how: "computed from the code that runs in this page" };
  return null;
}

/** The script up to where it says where the motion starts: what is made of the equations alone. */
export function equations_of(code: string): string {
  const end = code.indexOf("\n// where the motion starts\n");
  return end < 0 ? code : code.slice(0, end);
}

function hashes(report: Report, t: Trust): HTMLElement {
  const list = t.hashes.length ? t.hashes : [{ what: "model", sha256: report.model.sha256 }];
  return el("div", { class: "card" },
    el("h3", {}, "Hashes (SHA-256)"),
    el("ul", { class: "hashes" }, ...list.map((one) => {
      const own = own_hash(one.what, report);
      const is_same = own?.hash === one.sha256.toLowerCase();
      return el("li", { "data-hash": one.what, "data-match": own ? String(is_same) : "unknown" },
        el("strong", {}, one.what), el("span", { class: "hash" }, one.sha256),
        own ? verdict(is_same, is_same ? `matches: ${own.how}` : `differs: ${own.how} is ${own.hash}`) : el("span", { class: "soft" }, "checked by the command below"));
    })));
}

const command_line = (text: string): HTMLElement => el("div", { class: "command" }, el("pre", {}, el("code", {}, text)), copy_button("Copy", () => text));

function origin(report: Report, t: Trust): HTMLElement {
  return el("div", { class: "card" },
    el("h3", {}, "Where this page comes from"),
    report.command ? el("div", {}, el("p", { class: "sans soft" }, "It was made by"), command_line(report.command)) : null,
    t.verify ? el("div", {}, el("p", { class: "sans soft" }, "It is checked by"), command_line(t.verify)) : null,
    t.versions.length > 0 && el("div", { class: "scroll", tabindex: 0, role: "group" }, el("table", {}, el("tbody", {},
      ...t.versions.map((one) => el("tr", {}, el("th", { scope: "row" }, one.name), el("td", {}, one.version)))))),
    report.model.text ? model_file(report) : null);
}

function model_file(report: Report): HTMLElement {
  return el("details", {}, el("summary", {}, `The model file, ${report.model.file}`),
    el("pre", { class: "listing", tabindex: 0, role: "region", "aria-label": "Model file" }, el("code", {}, report.model.text)));
}
