// A real browser for the tests: Debian's Chromium, headless, with WebGL in software.
//
// Nothing here waits for a time, only for conditions; the limit ends a test that hangs. Before pixels are compared the page is settled.
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { sample_page } from "../../samples/page";

const patience = 300000; // milliseconds
const candidates = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const webgl = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
// drawing in software on a busy machine is slow: no watchdog takes that for a hang
const slow = ["--disable-gpu-watchdog", "--disable-gpu-process-crash-limit", "--disable-domain-blocking-for-3d-apis"];

const folder = mkdtempSync(join(tmpdir(), "linkwright-pages-"));

export async function launch(with_webgl = true): Promise<Browser> {
  const executablePath = candidates.find((one) => one && existsSync(one));
  if (!executablePath) throw new Error("no Chromium: install Debian's package chromium, or name one by CHROMIUM=/path");
  const args = ["--no-sandbox", ...slow, ...(with_webgl ? webgl : ["--disable-3d-apis", "--disable-gpu"])];
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), XDG_CACHE_HOME: join(folder, "cache") };
  return chromium.launch({ executablePath, args, env, timeout: patience });
}

const built = (): string => readFileSync(fileURLToPath(new URL("../../dist/report.html", import.meta.url)), "utf8");

// A sample as a file on disk, as readers have it.
export function sample_file(name: string): string {
  const file = join(folder, `${name}.html`);
  if (!existsSync(file)) writeFileSync(file, sample_page(built(), name));
  return file;
}

export interface Opened {
  page: Page;
  errors: string[]; // of the console and of scripts
  requests: string[]; // beyond the file itself
}

const opened: { file: string; one: Opened }[] = [];

export async function open(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light", ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const [errors, requests]: [string[], string[]] = [[], []];
  const url = pathToFileURL(file).href;
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("crash", () => errors.push("the page crashed"));
  page.on("request", (request) => !/^(data|blob):/.test(request.url()) && request.url() !== url && requests.push(request.url()));
  page.on("dialog", (dialog) => (errors.push(`dialog: ${dialog.message()}`), void dialog.dismiss()));
  opened.push({ file, one: { page, errors, requests } });
  await page.goto(url);
  await page.waitForSelector("main h2, main.broken", { state: "attached" });
  await page.waitForSelector(".stage-tools button, .without-scene, main.broken, .layout:not(.with-stage)", { state: "attached" });
  await settle(page);
  return { page, errors, requests };
}

// A test that failed tells which pages were open, and how they stood.
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const { file, one } of opened.filter(({ one }) => !one.page.isClosed())) {
    const asked = one.page.evaluate(() => {
      const shared = (globalThis as any).linkwrightPage;
      const canvas = document.querySelector<HTMLCanvasElement>(".viewport canvas");
      return {
        time: shared?.time.get(), playing: shared?.playing.get(), sway: shared?.sway.get()?.name, has_live_motion: Boolean(shared?.live.get()), is_exact: shared?.live.get()?.is_exact,
        canvas: canvas && [canvas.width, canvas.height, canvas.clientWidth, canvas.clientHeight], window: [innerWidth, innerHeight, scrollY], sliders: document.querySelector(".sliders-status")?.textContent,
      };
    });
    const silence = new Promise<string>((resolve) => setTimeout(resolve, 60000, "no answer"));
    const state = await Promise.race([asked.catch((error: unknown) => String(error)), silence]);
    console.error(`failed: ${task.name}\n  page ${basename(file)}: ${JSON.stringify(state)}\n  errors: ${JSON.stringify(one.errors)}\n  requests: ${JSON.stringify(one.requests)}`);
  }
});

// Waits until the fonts are there, the scene has the size of its place, and three frames in a row leave the layout as it is.
export const settle = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    let [before, calm] = ["", 0];
    while (calm < 3) {
      await document.fonts.ready;
      await new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      const canvas = document.querySelector<HTMLCanvasElement>(".viewport canvas");
      const place = canvas?.parentElement;
      const is_sized = !canvas || !place || place.clientWidth < 2 || canvas.width === Math.floor(place.clientWidth * Math.min(devicePixelRatio, 2));
      const root = document.documentElement;
      const now = [root.scrollWidth, root.scrollHeight, innerWidth, innerHeight, scrollY, document.fonts.size, document.fonts.status].join();
      calm = is_sized && document.fonts.status === "loaded" && now === before ? calm + 1 : 0;
      before = now;
    }
  });

// Pixels of the scene: how many colours there are, a digest of all, and what is at given points.
export const look = (page: Page, points: [number, number][] = []): Promise<{ colours: number; sum: number; at: number[][] }> =>
  page.evaluate((points) => {
    const canvas = document.querySelector(".viewport canvas") as HTMLCanvasElement & { draw(): void };
    canvas.draw();
    const copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    const data = context.getImageData(0, 0, copy.width, copy.height).data;
    const seen = new Set<number>();
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) {
      const value = data[i]! * 65536 + data[i + 1]! * 256 + data[i + 2]!;
      seen.add(value);
      sum = (sum * 31 + value) % 2147483647;
    }
    const scale = canvas.width / canvas.clientWidth;
    const at = points.map(([x, y]) => [...context.getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data].slice(0, 3));
    return { colours: seen.size, sum, at };
  }, points);

export const time_of = (page: Page): Promise<number> => page.evaluate(() => (globalThis as any).linkwrightPage.time.get());

const is_playing = (page: Page): Promise<boolean> => page.evaluate(() => (globalThis as any).linkwrightPage.playing.get());

// Plays until the clock stands further on and, where there is a scene, until other pixels are seen.
export async function play_a_little(page: Page, toggle: () => Promise<void> = () => page.click(".transport .play")): Promise<void> {
  const has_scene = (await page.locator(".viewport canvas").count()) > 0;
  const [time, seen] = [await time_of(page), has_scene ? (await look(page)).sum : 0];
  await toggle();
  await expect.poll(() => time_of(page), { message: "the clock runs" }).not.toBe(time);
  if (has_scene) await expect.poll(async () => (await look(page)).sum, { message: "the bodies move" }).not.toBe(seen);
  await toggle();
  await expect.poll(() => is_playing(page), { message: "the clock stands" }).toBe(false);
}

// Pixels of a square of the scene about a point that a layer of the picture changes: how many, and their middle (pixels of the page).
export const changed_by = (page: Page, button: string, points: [number, number][], reach = 9): Promise<{ count: number; middle: [number, number] }[]> =>
  page.evaluate(({ button, points, reach }) => {
    const canvas = document.querySelector(".viewport canvas") as HTMLCanvasElement & { draw(): void };
    const toggle = [...document.querySelectorAll<HTMLButtonElement>(".stage-tools button")].find((one) => one.textContent === button)!;
    const taken = (): CanvasRenderingContext2D => {
      canvas.draw();
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d")!;
      context.drawImage(canvas, 0, 0);
      return context;
    };
    const without = taken();
    toggle.click();
    const shown = taken();
    toggle.click();
    const scale = canvas.width / canvas.clientWidth;
    return points.map(([x, y]) => {
      const [left, top, size] = [Math.round((x - reach) * scale), Math.round((y - reach) * scale), Math.round(2 * reach * scale)];
      const [a, b] = [without, shown].map((one) => one.getImageData(left, top, size, size).data);
      let [count, sx, sy] = [0, 0, 0];
      for (let i = 0; i < a!.length; i += 4) {
        const difference = Math.abs(a![i]! - b![i]!) + Math.abs(a![i + 1]! - b![i + 1]!) + Math.abs(a![i + 2]! - b![i + 2]!);
        if (difference < 30) continue;
        ++count;
        sx += (i / 4) % size;
        sy += Math.floor(i / 4 / size);
      }
      return { count, middle: [(left + sx / count + 0.5) / scale, (top + sy / count + 0.5) / scale] as [number, number] };
    });
  }, { button, points, reach });

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What axe finds serious.
export async function serious_findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const result = await (globalThis as any).axe.run(document, { resultTypes: ["violations"] });
    return result.violations
      .filter((one: any) => one.impact === "serious" || one.impact === "critical")
      .map((one: any) => `${one.id}: ${one.nodes.slice(0, 3).map((node: any) => `${node.target.join(" ")} ${node.failureSummary}`).join("; ")}`);
  });
}

// By how much the page is wider than the window, when plots and formulas have taken its width.
export async function overflow(page: Page): Promise<number> {
  await settle(page);
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

export async function go_dark_and_narrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(21, 24, 28)");
  await settle(page);
}

// Formulas are typeset when they come into the window, or all of them when the page is printed.
export async function typeset(page: Page): Promise<void> {
  await page.evaluate(() => ["beforeprint", "afterprint"].forEach((name) => dispatchEvent(new Event(name))));
  await settle(page);
}

export const katex_errors = (page: Page): Promise<number> => page.locator(".katex-error").count();
