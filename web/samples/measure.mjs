// npm run measure -- PAGE...: what pages cost: their size, when they are first painted and when the scene stands (milliseconds after the file was
// asked for), what script and all else of a frame take while they play, and how many frames a second that makes on this machine.
// Each figure is the best of some runs: other work on the machine only adds to it.
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const pages = process.argv.slice(2);
if (!pages.length) throw new Error("usage: npm run measure -- PAGE...");
const runs = 3;
const frames = 60;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

// Time in callbacks of frames, summed: before the page's own script.
const counted = () => {
  const ask = requestAnimationFrame.bind(window);
  globalThis.inFrames = 0;
  globalThis.requestAnimationFrame = (callback) =>
    ask((now) => {
      const start = performance.now();
      callback(now);
      globalThis.inFrames += performance.now() - start;
    });
};

async function measure(file) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(300000);
  await page.addInitScript(counted);
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForSelector(".stage-tools button", { state: "attached" });
  const shown = await page.evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    words: performance.getEntriesByName("linkwright-shown")[0]?.startTime ?? NaN,
    scene: performance.getEntriesByName("linkwright-scene")[0]?.startTime ?? NaN,
  }));
  const play = await page.evaluate(async (frames) => {
    const next = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
    const shared = globalThis.linkwrightPage;
    if (!shared.shown()) return { script: NaN, frame: NaN };
    shared.playing.set(true);
    for (let i = 0; i < 10; i++) await next();
    const [start, before] = [performance.now(), globalThis.inFrames];
    for (let i = 0; i < frames; i++) await next();
    const result = { script: (globalThis.inFrames - before) / frames, frame: (performance.now() - start) / frames };
    shared.playing.set(false);
    return result;
  }, frames);
  await context.close();
  return { ...shown, ...play };
}

console.log("page                         kB   painted   words   scene   script of a frame   frame   frames a second");
for (const file of pages) {
  const all = [];
  for (let i = 0; i < runs; i++) all.push(await measure(file));
  const best = (name) => Math.min(...all.map((one) => one[name]));
  const kilobytes = Math.round(statSync(file).size / 1000);
  console.log(
    basename(file, ".html").padEnd(24), String(kilobytes).padStart(6), String(Math.round(best("paint"))).padStart(9), String(Math.round(best("words"))).padStart(7),
    String(Math.round(best("scene"))).padStart(7), best("script").toFixed(2).padStart(19), best("frame").toFixed(1).padStart(7), (1000 / best("frame")).toFixed(0).padStart(17),
  );
}
await browser.close();
