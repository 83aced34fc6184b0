// A real browser for the tests: Debian's Chromium, headless, with WebGL in software.
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { sample_page } from "../../samples/page";

const root = new URL("../../", import.meta.url).pathname;
const candidates = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const webgl = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

export async function launch(with_webgl = true): Promise<Browser> {
  const executablePath = candidates.find((one) => one && existsSync(one));
  if (!executablePath) throw new Error("no Chromium: install Debian's package chromium, or name one by CHROMIUM=/path");
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...(with_webgl ? webgl : ["--disable-3d-apis", "--disable-gpu"])] });
}

const folder = mkdtempSync(join(tmpdir(), "linkwright-pages-"));
const built = (): string => readFileSync(join(root, "dist/report.html"), "utf8");

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

export async function open(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light", ...options });
  const page = await context.newPage();
  const [errors, requests]: [string[], string[]] = [[], []];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => !/^(data|blob):/.test(request.url()) && request.url() !== `file://${file}` && requests.push(request.url()));
  page.on("dialog", (dialog) => (errors.push(`dialog: ${dialog.message()}`), void dialog.dismiss()));
  await page.goto(`file://${file}`);
  await page.waitForSelector("main h2, main.broken");
  await page.waitForSelector(".stage-tools button, .without-scene, main.broken, .layout:not(.with-stage)");
  return { page, errors, requests };
}

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

// Plays until the clock stands a little further on.
export async function play_a_little(page: Page, start: () => Promise<void> = () => page.click(".transport .play")): Promise<void> {
  const before = await time_of(page);
  await start();
  await page.waitForFunction((before) => Math.abs((globalThis as any).linkwrightPage.time.get() - before) > 0.05, before, { timeout: 20000 });
  await start();
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

// By how much the page is wider than the window.
export const overflow = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
export const katex_errors = (page: Page): Promise<number> => page.locator(".katex-error").count();
