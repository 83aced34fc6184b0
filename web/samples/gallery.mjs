// npm run gallery -- PAGES PICTURES: small pictures of pages that the program wrote, for README and docs. Each page gives its scene, a tenth
// into its motion; the triple pendulum also its first screen, light and dark, the light one with forces.
import { mkdirSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [pages, pictures] = process.argv.slice(2);
if (!pages || !pictures) throw new Error("usage: npm run gallery -- PAGES PICTURES");
mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

async function shoot(file, theme, take, with_forces = false) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: theme });
  const page = await context.newPage();
  await page.goto(`file://${resolve(pages, file)}`);
  await page.waitForSelector(".stage-tools button");
  await page.evaluate(() => {
    const { motions, time } = globalThis.linkwrightPage;
    const t = motions[0]?.t ?? [0];
    time.set(t[0] + 0.1 * (t[t.length - 1] - t[0]));
  });
  const forces = page.locator(".stage-tools button", { hasText: "Forces" });
  if (with_forces && (await forces.count())) await forces.click();
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame);
  });
  await take(page);
  await context.close();
}

for (const file of readdirSync(pages).filter((name) => name.endsWith(".html"))) {
  const name = basename(file, ".html");
  await shoot(file, "light", (page) => page.locator(".viewport").screenshot({ path: join(pictures, `${name}.png`) }));
  if (name === "triple_pendulum")
    for (const theme of ["light", "dark"]) await shoot(file, theme, (page) => page.screenshot({ path: join(pictures, `page_${theme}.png`) }), theme === "light");
  if (name === "four_bar") await shoot(file, "light", (page) => page.locator(".viewport").screenshot({ path: join(pictures, "forces.png") }), true);
}
await browser.close();
