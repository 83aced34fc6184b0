// Columns over time. A click or drag sets the cursor that the scene follows; the legend tells the values there.

import uPlot from "uplot";
import { paper_width } from "../charts/chart";
import { lettering } from "../charts/lettering";
import { room_of, tick_digits } from "../charts/scale";
import { el, format_number } from "../element";
import { file_name, save_blob } from "../save";
import type { Shared } from "../shared";
import { colour, thing_colours } from "../theme";
import { value_at, type Trajectory } from "../trajectory";
import { column_chooser } from "./chooser";
import { column_index, resampled, type PlotPlan } from "./columns";
import { in_sight } from "./in_sight";

export function time_plot(shared: Shared, plan: PlotPlan, remove: () => void): HTMLElement {
  const names = [...plan.columns];
  const holder = el("div", { class: "plot" });
  const cursor = el("div", { class: "plot-cursor" });
  const legend = el("ul", { class: "legend" });
  const title = el("h3", {}, plan.title);
  let plot: uPlot | null = null;
  let is_on_paper = false;

  const draw = (): void => {
    const shown = shared.shown();
    plot?.destroy();
    plot = null;
    if (!shown || !holder.clientWidth) return;
    plot = make(shared, shown, names, holder, cursor);
    tell();
  };
  const tell = (): void => {
    const shown = shared.shown();
    if (!shown || !plot) return;
    const left = plot.valToPos(shared.time.get(), "x");
    cursor.style.transform = `translateX(${left}px)`;
    cursor.hidden = !Number.isFinite(left) || left < -1 || left > plot.bbox.width / devicePixelRatio + 1; // measuring the element would lay out the page
    values.forEach(({ name, output }) => {
      const column = column_index(shown, name);
      output.textContent = `${format_number(value_at(shown, column, shared.time.get()))} ${shown.columns[column]?.unit ?? ""}`.trim();
    });
  };
  let values: { name: string; output: HTMLElement }[] = [];
  const list = (): void => {
    const colours = thing_colours();
    values = names.map((name) => ({ name, output: el("span", { class: "value" }) }));
    legend.replaceChildren(...values.map(({ name, output }, i) =>
      el("li", {}, el("span", { class: "key", style: `background:${colours[i % colours.length]}` }), el("span", { class: "name" }, name), output)));
  };
  const change = (): void => (list(), draw());

  new ResizeObserver(() => {
    if (!plot) draw();
    else if (!is_on_paper && holder.clientWidth && plot.width !== holder.clientWidth) plot.setSize({ width: holder.clientWidth, height: plot.height }), tell();
  }).observe(holder);
  addEventListener("beforeprint", () => queueMicrotask(() => ((is_on_paper = true), plot?.setSize({ width: paper_width, height: Math.round(0.42 * paper_width) }))));
  addEventListener("afterprint", () => queueMicrotask(() => ((is_on_paper = false), draw())));
  shared.motion.listen(draw);
  shared.ghost.listen(draw);
  shared.live.listen(draw);
  shared.theme.listen(() => queueMicrotask(change));
  shared.time.listen(in_sight(holder, tell));
  list();
  return el("figure", { class: "card plot-card", "aria-label": plan.title },
    el("div", { class: "row spread" }, title,
      el("div", { class: "row plot-tools" },
        column_chooser(shared.shown()?.columns.slice(1) ?? [], names, change),
        el("button", { type: "button", class: "quiet", "aria-label": `Save picture of ${plan.title}`, title: "Save picture", onclick: () => plot && save_plot(plot, plan.title, names) }, "⤓"),
        el("button", { type: "button", class: "quiet", "aria-label": `Remove plot ${plan.title}`, title: "Remove", onclick: remove }, "✕"))),
    holder, legend);
}

// The plot with its title above and its lines' names below, so that the picture stands by itself.
function save_plot(plot: uPlot, title: string, names: readonly string[]): void {
  const source = plot.ctx.canvas;
  const paper = document.createElement("canvas");
  const px = devicePixelRatio * lettering();
  const context = paper.getContext("2d")!;
  const font = (size: number, weight = ""): string => `${weight} ${size * px}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
  const [line, head, edge] = [18 * px, 26 * px, 10 * px];
  context.font = font(12);
  const places: [number, number][] = []; // of the names, from left to right and down
  let [x, row] = [edge, 0];
  for (const name of names) {
    const width = context.measureText(name).width + 40 * px;
    if (x > edge && x + width > source.width) [x, row] = [edge, row + 1];
    places.push([x, row]);
    x += width;
  }
  paper.width = source.width;
  paper.height = source.height + head + (row + 1) * line + edge;
  context.fillStyle = colour("card");
  context.fillRect(0, 0, paper.width, paper.height);
  context.drawImage(source, 0, head);
  context.fillStyle = colour("ink");
  context.font = font(14, "600");
  context.fillText(title, edge, 18 * px);
  context.font = font(12);
  const colours = thing_colours();
  names.forEach((name, i) => {
    const [left, y] = [places[i]![0], head + source.height + places[i]![1] * line + 12 * px];
    context.fillStyle = colours[i % colours.length]!;
    context.fillRect(left, y - 5 * px, 16 * px, 3 * px);
    context.fillStyle = colour("ink");
    context.fillText(name, left + 22 * px, y);
  });
  paper.toBlob((blob) => blob && save_blob(blob, file_name(title, "png")), "image/png");
}

const finite = (values: Float64Array): (number | null)[] => Array.from(values, (value) => (Number.isFinite(value) ? value : null));

function make(shared: Shared, shown: Trajectory, names: string[], holder: HTMLElement, cursor: HTMLElement): uPlot {
  const colours = thing_colours();
  const zoom = lettering();
  const behind = shared.behind();
  const known = names.filter((name) => column_index(shown, name) >= 0);
  const data: (number | null)[][] = known.map((name) => finite(shown.values[column_index(shown, name)]!));
  const series: uPlot.Series[] = known.map((name, i) => ({ label: name, stroke: colours[names.indexOf(name) % colours.length]!, width: 1.75 * zoom, dash: i >= colours.length ? [6, 3] : undefined, points: { show: false } }));
  if (behind)
    known.forEach((name) => {
      data.push(resampled(behind, name, shown.t));
      series.push({ label: `${name}, ${behind.name}`, stroke: colours[names.indexOf(name) % colours.length]!, width: zoom, dash: [3, 4], points: { show: false }, alpha: 0.7 });
    });
  const units = [...new Set(known.map((name) => shown.columns[column_index(shown, name)]!.unit).filter(Boolean))];
  const font = `${Math.round(12 * zoom)}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
  const axis = (label: string): uPlot.Axis => ({
    label, font, labelFont: font, stroke: colour("soft"), labelSize: Math.round(20 * zoom), labelGap: 0, gap: 5 * zoom,
    grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line-strong"), width: 1, size: 4 }, values: (_plot, list) => list.map((value) => (value === null ? "" : format_number(value, tick_digits(list)))),
  });
  const plot = new uPlot({
    width: holder.clientWidth,
    height: Math.round(Math.min(Math.max(holder.clientWidth * 0.42, 190), 420 * zoom)),
    legend: { show: false },
    cursor: { show: true, x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: roomy } },
    axes: [{ ...axis("t, s"), size: Math.round(28 * zoom), space: 50 * zoom }, { ...axis(units.join(", ")), size: Math.round(62 * zoom), space: 30 * zoom }],
    series: [{}, ...series],
    hooks: { draw: [(one) => mark_events(one, shown)] },
  }, [Array.from(shown.t), ...data] as uPlot.AlignedData, holder);
  plot.over.append(cursor);
  scrub(plot, shared);
  return plot;
}

// Some air above and below.
function roomy(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const room = room_of(low, high, 0.06);
  return [low - room, high + room];
}

function mark_events(plot: uPlot, shown: Trajectory): void {
  const { ctx, bbox } = plot;
  const px = devicePixelRatio * lettering();
  ctx.save();
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.strokeStyle = ctx.fillStyle = colour("warn");
  ctx.lineWidth = px;
  ctx.setLineDash([4 * px, 4 * px]);
  ctx.font = `${11 * px}px system-ui, sans-serif`;
  let until = -Infinity; // names that would lie on one another are left to the list
  for (const event of shown.events) {
    const x = plot.valToPos(event.t, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const width = ctx.measureText(event.name).width;
    const left = Math.max(Math.min(x + 4 * px, bbox.left + bbox.width - width), bbox.left); // near the end it stands before its line
    if (left < until) continue;
    ctx.fillText(event.name, left, bbox.top + 12 * px);
    until = left + width + 6 * px;
  }
  ctx.restore();
}

// The pointer on a plot moves the cursor in time.
function scrub(plot: uPlot, shared: Shared): void {
  const set = (event: PointerEvent): void => {
    const box = plot.over.getBoundingClientRect();
    const t = plot.posToVal(event.clientX - box.left, "x");
    const shown = shared.shown();
    if (!shown) return;
    shared.sway.set(null);
    shared.time.set(Math.min(Math.max(t, shown.t[0]!), shown.t[shown.t.length - 1]!));
  };
  plot.over.addEventListener("pointerdown", (event) => {
    shared.playing.set(false);
    plot.over.setPointerCapture(event.pointerId);
    set(event);
  });
  plot.over.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) set(event);
  });
}
