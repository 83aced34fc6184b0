// The built page in a real browser, with samples.
import { readFileSync } from "node:fs";
import type { Browser, Download } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samples } from "../../samples/page";
import { go_dark_and_narrow, katex_errors, launch, look, open, overflow, play_a_little, sample_file, serious_findings, settle, time_of } from "./browser";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(async () => void (await browser?.close()));

describe.each(Object.keys(samples))("page %s", (name) => {
  it("opens without an error or a request, moves, is legible, and fits a narrow screen in the dark", async () => {
    const { page, errors, requests } = await open(browser, sample_file(name));
    expect(await katex_errors(page)).toBe(0);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    const before = await look(page);
    expect(before.colours).toBeGreaterThan(20);
    if (await page.locator(".transport .play").count()) {
      await play_a_little(page);
    }
    expect(await serious_findings(page)).toEqual([]);
    await go_dark_and_narrow(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    if (name === "study") expect(await serious_findings(page)).toEqual([]); // it has every panel
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
    await page.context().close();
  });
});

describe("the triple pendulum", () => {
  it("stands at each time where its columns say, to the pixel", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    for (const row of [0, 37, 203, 400]) {
      const at = await page.evaluate((row) => {
        const shared = (globalThis as any).linkwrightPage;
        const one = shared.motions[0];
        shared.time.set(one.t[row]);
        const canvas = document.querySelector(".viewport canvas") as any;
        canvas.draw();
        // by hand, from the columns and the lengths 1, 0.8, 0.6
        const q = [1, 2, 3].map((column) => one.values[column][row]);
        const angle = [q[0], q[0] + q[1], q[0] + q[1] + q[2]];
        const length = [1, 0.8, 0.6];
        const x = angle.reduce((sum: number, a: number, i: number) => sum + length[i]! * Math.sin(a), 0);
        const y = angle.reduce((sum: number, a: number, i: number) => sum - length[i]! * Math.cos(a), 0);
        return canvas.project([x, y, 0]) as [number, number];
      }, row);
      const [colour] = (await look(page, [at])).at;
      const [r, g, b] = colour as [number, number, number];
      expect(g > 1.4 * r && g > 1.1 * b, `row ${row}: the green lump at ${at}, but ${colour}`).toBe(true);
    }
    await page.context().close();
  });

  it("is driven by the keyboard alone", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    await page.focus(".viewport canvas");
    const before = await look(page);
    await page.keyboard.press("ArrowRight");
    expect((await look(page)).sum).not.toBe(before.sum);
    await page.keyboard.press("0");
    expect((await look(page)).sum).toBe(before.sum);
    await play_a_little(page, () => page.keyboard.press(" "));
    expect(await time_of(page)).toBeGreaterThan(0);
    await page.focus(".scrub");
    await page.keyboard.press("Home");
    expect(await time_of(page)).toBe(0);
    // every control is reached by Tab and says what it is
    const seen = new Set<string>();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
    }
    for (const name of ["Play", "Time", "Fit", "Names", "View", "Speed"]) expect([...seen]).toContain(name);
    await page.context().close();
  });

  it("is scrubbed in a plot, compared with a second motion, and leaves as CSV", async () => {
    const { page, errors } = await open(browser, sample_file("triple_pendulum"));
    const plot = page.locator(".plot .u-over").first();
    await plot.scrollIntoViewIfNeeded();
    await settle(page);
    await plot.click(); // in its middle
    await expect.poll(() => time_of(page)).toBeCloseTo(5, 1);
    const alone = await look(page);
    await page.selectOption(".motion-choice label:nth-child(2) select", "1");
    expect((await look(page)).sum).not.toBe(alone.sum);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save CSV" }).click()]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
    expect(lines).toHaveLength(402);
    expect(lines[0]).toContain("t,q1,q2,q3");
    const [picture] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save picture", exact: true }).click()]);
    expect(picture.suggestedFilename()).toBe("triple-pendulum.png");
    expect(readFileSync(await picture.path()).length).toBeGreaterThan(5000);
    // a film that is stopped after some frames, long before its end
    await page.selectOption(".transport select", "0.05");
    const filmed = async (frames: number): Promise<Download> => {
      await page.getByRole("button", { name: "Record video" }).click();
      await page.evaluate(async (frames) => {
        for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame);
      }, frames);
      return (await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Stop recording" }).click()]))[0];
    };
    const size = async (one: Download): Promise<number> => readFileSync(await one.path()).length;
    let film = await filmed(30);
    for (let frames = 60; frames < 1000 && (await size(film)) <= 2000; frames *= 2) film = await filmed(frames); // a busy encoder leaves frames out
    expect(film.suggestedFilename()).toMatch(/^triple-pendulum\.(mp4|webm)$/);
    expect(await size(film)).toBeGreaterThan(2000);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it("finds columns by search", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    await page.locator(".chooser summary").first().click();
    await page.keyboard.type("kinetic");
    await page.locator(".chooser[open] label", { hasText: "kinetic energy" }).click();
    await expect.poll(() => page.locator(".plot-card").first().locator(".legend li").count()).toBe(4);
    await page.keyboard.press("Escape");
    expect(await page.locator(".chooser[open]").count()).toBe(0);
    await page.context().close();
  });

  it("marks in the graph what is pointed at in the scene, and the other way round", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    const before = await look(page);
    await page.locator(".graph-body").nth(2).focus();
    expect((await look(page)).sum).not.toBe(before.sum);
    expect(await page.locator(".caption").textContent()).toBe("middle: 1 kg");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.locator(".viewport canvas").scrollIntoViewIfNeeded();
    let nudge = 0;
    await expect.poll(async () => {
      const [x, y] = await page.evaluate(() => {
        const canvas = document.querySelector(".viewport canvas") as any;
        const [box, at] = [canvas.getBoundingClientRect(), canvas.project([0.5 * Math.sin(1.1), -0.5 * Math.cos(1.1), 0])];
        return [box.left + at[0], box.top + at[1]] as [number, number];
      });
      await page.mouse.move(x + (nudge = 1 - nudge), y);
      return page.locator(".graph-body.hovered").allTextContents();
    }).toEqual([expect.stringContaining("upper")]);
    await page.context().close();
  });

  it("prints without its controls", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".transport").isVisible()).toBe(false);
    expect(await page.locator("#motion-title").isVisible()).toBe(true);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(20000);
    await page.context().close();
  });

  it("draws its charts anew for paper, as wide as that, and again for the screen", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    const widths = (): Promise<number[]> => page.evaluate(() =>
      [document.querySelector(".chart-paper")!, document.querySelector(".plot .uplot")!].map((one) => Math.round(Number(one.getAttribute("width") ?? (one as HTMLElement).offsetWidth))));
    await page.locator(".chart-paper").first().scrollIntoViewIfNeeded();
    const before = await widths();
    await page.evaluate(() => void dispatchEvent(new Event("beforeprint")));
    await expect.poll(widths).toEqual([491, 491]);
    await page.evaluate(() => void dispatchEvent(new Event("afterprint")));
    await expect.poll(widths).toEqual(before);
    await page.context().close();
  });

  it("has larger letters in its pictures, too, where the window is large", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    const heights = (): Promise<number[]> => page.evaluate(() =>
      [".graph-body text", ".chart-paper .tick", "#motion p"].map((one) => document.querySelector(one)!.getBoundingClientRect().height));
    const small = await heights();
    await page.setViewportSize({ width: 3840, height: 2160 });
    await settle(page);
    const large = await heights();
    large.forEach((height, i) => expect(height).toBeGreaterThan(1.2 * small[i]!));
    await page.context().close();
  });

  it("says when it was shown", async () => {
    const { page } = await open(browser, sample_file("triple_pendulum"));
    const [started, shown] = await page.evaluate(() => ["linkwright-started", "linkwright-shown"].map((name) => performance.getEntriesByName(name)[0]!.startTime));
    console.log(`script read after ${Math.round(started!)} ms, page shown after ${Math.round(shown!)} ms`);
    expect(shown).toBeGreaterThan(0);
    await page.context().close();
  });
});

describe("bad luck", () => {
  it("without WebGL the page works and says so", async () => {
    const plain = await launch(false);
    const { page } = await open(plain, sample_file("triple_pendulum"));
    expect(await page.locator(".without-scene").textContent()).toContain("no WebGL");
    await play_a_little(page);
    expect(await page.locator(".plot canvas").count()).toBeGreaterThan(0);
    await plain.close();
  });

  it("names that look like HTML are text", async () => {
    const { page, errors } = await open(browser, sample_file("parts"));
    expect(await page.locator("h1").textContent()).toBe("Parts <b>of</b> a scene </script><script>alert(1)</script>");
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
