// The shell: heading, way through the sections, the stage (scene and clock) beside the panels, foot.

import { el } from "./element";
import type { Report } from "./report";
import type { Shared } from "./shared";
import { choose_theme } from "./theme";
import { start_clock } from "./clock";
import { stage } from "./scene/stage";

type Panel = (report: Report, shared: Shared) => HTMLElement;

// A panel is a file: panels/NAME.ts exports a function NAME.
const modules = import.meta.glob<Record<string, Panel>>("./panels/*.ts", { eager: true });

function find_panel(name: string): Panel | null {
  return modules[`./panels/${name}.ts`]?.[name] ?? null;
}

const titles: Record<string, string> = {
  mechanism: "Mechanism",
  motion: "Motion",
  equations: "Equations",
  analysis: "Analysis",
  perturbation: "Multiple scales",
  trust: "Trust",
};

export function page(report: Report, shared: Shared): DocumentFragment {
  const names = report.sections.filter((name) => find_panel(name) !== null);
  const has_stage = ["mechanism", "motion", "analysis"].some((name) => report.sections.includes(name)) && report.scene.bodies.length > 1;
  const main = el("main", { class: "panels", id: "content" }, ...names.map((name) => section(name, report, shared)));
  const fragment = document.createDocumentFragment();
  fragment.append(
    el("a", { class: "skip", href: "#content" }, "Skip to the content"),
    heading(report, shared, names),
    el("div", { class: has_stage ? "layout with-stage" : "layout" }, has_stage && stage_column(report, shared), main),
    foot(report),
  );
  start_clock(shared);
  return fragment;
}

function stage_column(report: Report, shared: Shared): HTMLElement {
  const sliders = report.parameters.some((one) => one.live) ? find_panel("sliders") : null;
  return el("aside", { class: "stage-column", "aria-label": "Scene" },
    stage(report, shared),
    sliders && guarded("sliders", () => sliders(report, shared)));
}

function heading(report: Report, shared: Shared, names: string[]): HTMLElement {
  return el("header", { class: "heading" },
    el("div", { class: "heading-inside" },
      el("h1", {}, report.title || report.model.name || "Mechanism"),
      el("nav", { "aria-label": "Sections" },
        ...names.map((name) => el("a", { href: `#${name}` }, titles[name] ?? name))),
      theme_switch(shared)));
}

function theme_switch(shared: Shared): HTMLElement {
  const button = el("button", {
    class: "quiet theme",
    type: "button",
    onclick: () => choose_theme(shared, shared.theme.get() === "dark" ? "light" : "dark"),
  });
  shared.theme.listen((theme) => {
    button.textContent = theme === "dark" ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", theme === "dark" ? "Use light colours" : "Use dark colours");
  }, true);
  return button;
}

function section(name: string, report: Report, shared: Shared): HTMLElement {
  const notes = report.notes.filter((note) => note.section === name);
  return el("section", { id: name, class: `section section-${name}`, "aria-labelledby": `${name}-title` },
    el("h2", { id: `${name}-title` }, titles[name] ?? name),
    ...notes.map((note) => el("p", { class: "note" }, note.text)),
    guarded(name, () => find_panel(name)!(report, shared)));
}

// A panel that fails says so in its place; the others stand.
function guarded(name: string, make: () => HTMLElement): HTMLElement {
  try {
    return make();
  } catch (error) {
    console.error(error);
    const text = error instanceof Error ? error.message : String(error);
    return el("p", { class: "note", role: "alert" }, `This section (${titles[name] ?? name}) could not be shown: ${text}`);
  }
}

function foot(report: Report): HTMLElement {
  return el("footer", { class: "foot" },
    el("p", {}, `Made by ${report.program.name} ${report.program.version}`, report.command ? " with " : "",
      report.command ? el("code", {}, report.command) : null));
}
