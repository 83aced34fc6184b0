// Pages that the program wrote (PAGES=folder, PROGRAM=path of linkwright): they open, and what their equations do is what the program does.
// Each page is opened once; the tests of a page go on where the one before left it.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import Ajv from "ajv/dist/2020.js";
import { changed_by, go_dark_and_narrow, katex_errors, launch, look, open, overflow, play_a_little, serious_findings, typeset, type Opened } from "./browser";

const folder = process.env["PAGES"] ?? "";
const program = process.env["PROGRAM"] ?? "";
const names = folder && existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".html")) : [];
const report_of = (name: string): any => JSON.parse(/id="linkwright-report">([^]*?)<\/script>/.exec(readFileSync(join(folder, name), "utf8"))![1]!);
const scratch = mkdtempSync(join(tmpdir(), "linkwright-csv-"));

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(async () => void (await browser?.close()));

type Table = { names: string[]; rows: number[][] };

async function simulate(model: string, ...options: string[]): Promise<Table> {
  const file = join(scratch, "motion.csv");
  await promisify(execFile)(program, ["simulate", model, ...options, "--quiet", "-o", file]);
  const lines = readFileSync(file, "utf8").trim().split("\n").filter((line) => !line.startsWith("#")).map((line) => line.split(","));
  return { names: lines[0]!, rows: lines.slice(1).map((line) => line.map(Number)) };
}

const model_file = (report: any): string => (existsSync(report.model.file) ? report.model.file : fileURLToPath(new URL(`../../../${report.model.file}`, import.meta.url)));

/** `--until` and `--samples` of the recorded motion. */
const rows_of = (page: Page): Promise<{ end: number; count: number }> =>
  page.evaluate(() => {
    const { t } = (globalThis as any).linkwrightPage.motions[0];
    return { end: t[t.length - 1], count: t.length };
  });

// Moves a slider as a reader does, through its number field, and waits until the exact motion is there.
async function pull(page: Page, name: string, value: number): Promise<void> {
  const field = page.locator(`.slider[data-parameter="${name}"] input[type="number"]`);
  await field.fill(String(value));
  await field.press("Enter");
  await page.waitForFunction(() => (globalThis as any).linkwrightPage.live.get()?.is_exact === true);
}

it.skipIf(names.length > 0)("needs pages of the program: PAGES=folder", () => {});

describe.runIf(names.length > 0).each(names.map((name) => [name]))("page %s", (name) => {
  const report = names.length ? report_of(name) : {};
  const live = report.parameters?.find((one: any) => one.live);
  let opened: Opened;
  beforeAll(async () => void (opened = await open(browser, join(folder, name))));
  afterAll(async () => void (await opened?.page.context().close()));

  it("is a report by its schema", () => {
    const schema = JSON.parse(readFileSync(new URL("../../../docs/formats/report.schema.json", import.meta.url), "utf8"));
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    validate(report);
    expect((validate.errors ?? []).slice(0, 5)).toEqual([]);
  });

  it("shows the mechanism, and play moves it", async () => {
    const { page } = opened;
    expect((await look(page)).colours).toBeGreaterThan(20);
    await play_a_little(page);
    expect(await serious_findings(page)).toEqual([]);
    // every layer can be shown; arrows have their sizes beside them
    for (const layer of ["Names", "Frames", "Contacts", "Trails", "Forces", "Reactions"]) {
      const button = page.locator(".stage-tools button", { hasText: layer });
      if (!(await button.count())) continue;
      await button.first().click();
      await page.evaluate(() => (document.querySelector(".viewport canvas") as any).draw());
      if (layer === "Forces") expect(await page.locator(".load-legend li").count()).toBeGreaterThan(0);
      await button.first().click();
    }
  });

  it.runIf(program)("stands at each time where the rows of simulate say, to the pixel", async () => {
    const { page } = opened;
    const bodies = report.scene.bodies.slice(1).filter((body: any) => body.mass > 0 && !body.hidden).slice(0, 8);
    const output = (name: string, point: string): string => `\n[[output]]\nname = "${name}"\nposition = "${point}"\n`;
    const outputs = [
      ...bodies.map((body: any, i: number) => output(`scrubbed_${i}`, `${body.name}.com`)),
      ...report.scene.beams.map((beam: any, i: number) => output(`tip_${i}`, `${beam.body}.tip`)),
    ];
    const model = join(scratch, "model.toml");
    writeFileSync(model, report.model.text + outputs.join(""));
    const { end, count } = await rows_of(page);
    const table = await simulate(model, "--until", String(end), "--samples", String(count - 1), ...report.model.set.flatMap((one: string) => ["--set", one]));
    expect(table.rows).toHaveLength(count);
    let compared = 0;
    for (const row of [Math.round(0.21 * count), Math.round(0.83 * count)]) {
      const place = (name: string): number[] => ["x", "y", "z"].map((axis) => table.rows[row]![table.names.indexOf(`${name}.${axis}`)]!);
      const points = bodies.map((_: any, i: number) => place(`scrubbed_${i}`));
      const at: [number, number][] = await page.evaluate(({ t, points }) => {
        const shared = (globalThis as any).linkwrightPage;
        shared.time.set(t);
        const canvas = document.querySelector(".viewport canvas") as any;
        canvas.draw();
        return points.map((point: number[]) => canvas.project(point));
      }, { t: table.rows[row]![0]!, points });
      const tips = report.scene.beams.map((_: any, i: number) => place(`tip_${i}`));
      const bent = await page.evaluate((tips) => {
        const canvas = document.querySelector(".viewport canvas") as any;
        return canvas.poses().beams.map((line: number[][], i: number) => [canvas.project(line[line.length - 1]), canvas.project(tips[i])]);
      }, tips);
      bent.forEach(([here, there]: [number, number][], i: number) => {
        expect(Math.hypot(here![0] - there![0], here![1] - there![1]), `end of ${report.scene.beams[i].body}`).toBeLessThan(0.5);
      });
      const seen = await changed_by(page, "Centres of mass", at);
      const is_alone = (i: number): boolean => at.every((other, k) => k === i || Math.hypot(other[0] - at[i]![0], other[1] - at[i]![1]) > 25);
      seen.forEach(({ count: pixels, middle }, i) => {
        if (!is_alone(i) || bodies.length < report.scene.bodies.length - 1 && pixels > 200) return;
        ++compared;
        expect(pixels, `${bodies[i].name} at row ${row}`).toBeGreaterThan(20);
        expect(Math.hypot(middle[0] - at[i]![0], middle[1] - at[i]![1]), `${bodies[i].name} at row ${row}: drawn at ${middle}, by simulate at ${at[i]}`).toBeLessThan(1);
      });
    }
    expect(compared).toBeGreaterThan(0);
  });

  it("typesets every formula, and sways in a mode", async () => {
    const { page } = opened;
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    await typeset(page);
    if (report.equations?.parts.length) expect(await page.locator(".katex").count()).toBeGreaterThan(0);
    expect(await katex_errors(page)).toBe(0);
    const sway = page.locator("button.sway").first();
    if (!(await sway.count())) return;
    await sway.evaluate((button) => (button as HTMLButtonElement).click());
    const before = await look(page);
    await expect.poll(async () => (await look(page)).sum, { message: "the mode sways" }).not.toBe(before.sum);
    await sway.evaluate((button) => (button as HTMLButtonElement).click());
  });

  it.runIf(live && program)("moves with a slider as simulate --set does", async () => {
    const { page } = opened;
    const value = Number((live.value + 0.3 * ((live.max ?? 1.5 * live.value) - live.value)).toPrecision(4));
    await pull(page, live.name, value);
    const { end, count } = await rows_of(page);
    const table = await simulate(model_file(report), "--set", `${live.name}=${value}`, "--until", String(end), "--samples", String(count - 1), "--tolerance", "1e-11");
    const motion = await page.evaluate(() => {
      const one = (globalThis as any).linkwrightPage.live.get();
      return { names: one.columns.map((column: any) => column.name), ended: one.ended, states: [...one.q, ...one.u] as number[], values: one.values.map((column: Float64Array) => [...column]) as number[][] };
    });
    expect(motion.ended).toBe("");
    let worst = { difference: 0, text: "" };
    for (const column of motion.states) {
      const there = table.names.indexOf(motion.names[column]!);
      table.rows.forEach((row, i) => {
        const here = motion.values[column]![i]!;
        const difference = Math.abs(here - row[there]!) / Math.max(1, Math.abs(here));
        if (!(difference <= worst.difference)) worst = { difference, text: `${motion.names[column]} at t = ${row[0]}: ${here} in the page, ${row[there]} by simulate` };
      });
    }
    expect(worst.difference, worst.text).toBeLessThan(1e-6);
    if (!report.analysis?.modes.length) return;
    // poles move, or the page says that they do not
    const stays = page.locator(".sliders .note", { hasText: "Poles stay as recorded" });
    await expect.poll(async () => (await page.locator("#analysis .pole-ghost").count()) + (await stays.count())).toBeGreaterThan(0);
    if (report.live.sampling.length) expect(await stays.count()).toBe(0);
  });

  it("fits a narrow screen in the dark, and paper", async () => {
    const { page, errors, requests } = opened;
    // half-way, where vehicles are far from their start: what moves is still in the picture when the window and the colours have changed
    await page.evaluate(() => {
      const { t } = (globalThis as any).linkwrightPage.motions[0];
      (globalThis as any).linkwrightPage.time.set((t[0] + t[t.length - 1]) / 2);
    });
    await go_dark_and_narrow(page);
    const in_sight = await page.evaluate(() => {
      const canvas = document.querySelector(".viewport canvas") as any;
      canvas.draw();
      const seen = canvas.poses().bodies.slice(1).map((body: any) => canvas.project(body.com) as [number, number]);
      return seen.filter(([x, y]: [number, number]) => x > 0 && y > 0 && x < canvas.clientWidth && y < canvas.clientHeight).length;
    });
    expect(in_sight).toBeGreaterThan(0);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await serious_findings(page)).toEqual([]);
    await page.emulateMedia({ media: "print" });
    const proportions = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>(".viewport canvas")!;
      return [canvas.width / canvas.height, canvas.clientWidth / canvas.clientHeight] as [number, number];
    });
    expect(Math.abs(proportions[0] / proportions[1] - 1)).toBeLessThan(0.05);
    expect(await page.locator(".transport").isVisible()).toBe(false);
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });
});
