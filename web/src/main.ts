// The page: reads the report and the model that the program wrote into it, and shows them.

import "katex/dist/katex.min.css";
import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/page.css";
import "./style/stage.css";
import "./style/mechanism.css";
import "./style/motion.css";
import { el } from "./element";
import { find_model } from "./model";
import { read_report } from "./report";
import { make_shared } from "./shared";
import { keep_theme, preferred_theme, print_light } from "./theme";
import { page } from "./page";

function start(): void {
  performance.mark("linkwright-started");
  const root = document.getElementById("page")!;
  try {
    const report = read_report(document.getElementById("linkwright-report")?.textContent ?? "");
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const shared = make_shared(report, find_model(report.parameters, report.live), preferred_theme(), still);
    keep_theme(shared);
    print_light(shared);
    document.title = report.title || "Linkwright report";
    root.replaceChildren(page(report, shared));
    performance.mark("linkwright-shown");
    (globalThis as Record<string, unknown>).linkwrightPage = shared; // for whoever wants to look: console, tests
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    root.replaceChildren(el("main", { class: "broken" }, el("h1", {}, "This page cannot be shown"), el("p", { role: "alert" }, text)));
    console.error(error);
  }
}

start();
