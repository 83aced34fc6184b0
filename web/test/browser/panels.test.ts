// Equations, analysis, trust and sliders in a real browser, on the sample that has all of them.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launch, open, overflow, sample_file, settle, typeset } from "./browser";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
beforeEach(async () => void (await Promise.all(browser.contexts().map((one) => one.close()))));
afterAll(async () => void (await browser?.close()));

const study = async (options = {}): Promise<{ page: Page; errors: string[]; requests: string[] }> => open(browser, sample_file("study"), options);

describe("equations", () => {
  it("explain their symbols to the pointer and to the arrow keys", async () => {
    const { page, errors } = await study();
    await typeset(page);
    const symbol = page.locator('#equations .katex-html [data-symbol="1"]').first();
    await symbol.scrollIntoViewIfNeeded();
    await settle(page);
    const box = page.locator("#equations .symbol-box");
    await expect.poll(async () => (await symbol.hover(), box.isVisible())).toBe(true);
    expect(await box.textContent()).toContain("length of the upper rod");
    expect(await box.textContent()).toContain("1 m");
    expect(await page.locator("#equations .symbol-marked").count()).toBeGreaterThan(1);
    await page.keyboard.press("Escape");
    const formula = page.locator("#equations .formula-box[tabindex]").first();
    await formula.focus();
    await formula.press("ArrowRight");
    await expect.poll(() => box.isVisible()).toBe(true);
    await expect.poll(() => page.locator("#equations [aria-live]").textContent()).not.toBe("");
    expect(await page.evaluate(() => document.documentElement.dataset["formulaErrors"] ?? "none")).toBe("none");
    expect(errors).toEqual([]);
  });

  it("are opened part by part, derived step by step, and shown as code", async () => {
    const { page, errors } = await study();
    const energy = page.locator('#equations [data-part="energy"]');
    expect(await energy.locator(".formula-row").count()).toBe(0);
    await energy.locator("summary").press("Enter"); // not by the pointer: formulas above may just be typeset
    await expect.poll(() => energy.locator(".katex").count()).toBeGreaterThan(0);
    await page.getByRole("tab", { name: "Derivation" }).click();
    const step = page.locator(".lesson-step h3");
    expect(await step.textContent()).toBe("1. Where the masses are");
    await page.getByRole("button", { name: "Next →" }).click();
    expect(await step.textContent()).toBe("2. How fast they move");
    await page.keyboard.press("ArrowRight");
    expect(await step.textContent()).toBe("3. What pulls");
    expect(await page.getByRole("button", { name: "Next →" }).isDisabled()).toBe(true);
    await page.getByRole("tab", { name: "Code" }).click();
    await page.locator(".code-bar select").selectOption({ index: 1 });
    expect(await page.locator(".listing .token-keyword").first().textContent()).toBe("import");
    expect(await page.locator(".code-view b").count()).toBe(0); // what looks like HTML is text
    expect(errors).toEqual([]);
  });

  it("never widen the page", async () => {
    const { page } = await study({ viewport: { width: 360, height: 700 } });
    await typeset(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});

describe("analysis", () => {
  it("lets the mechanism sway from the table and from the plane, one mode at a time", async () => {
    const { page, errors } = await study();
    const name = (): Promise<string | undefined> => page.evaluate(() => (globalThis as any).linkwrightPage.sway.get()?.name);
    await page.getByRole("button", { name: "Let the mechanism sway in mode 2" }).click();
    expect(await name()).toMatch(/^Mode 2/);
    const two = await page.evaluate(() => [0, Math.PI].map((phase) => Array.from((globalThis as any).linkwrightPage.sway.get().q(phase) as number[])));
    two[0]!.forEach((x, i) => expect(x).toBeCloseTo(-two[1]![i]!, 9));
    await page.locator("#analysis .pole.can-choose").first().dispatchEvent("click");
    expect(await name()).toMatch(/^Mode 1/);
    expect(await page.locator('.sway[aria-pressed="true"]').count()).toBe(1);
    await page.getByRole("button", { name: "Let the mechanism sway in mode 1" }).click();
    expect(await name()).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it("moves poles along the root locus, and the cursor in frequency", async () => {
    const { page } = await study();
    const slider = page.getByLabel("l1: place in the sweep");
    const told = (): Promise<string | null> => slider.getAttribute("aria-valuetext");
    const before = await told();
    await slider.focus();
    await slider.press("ArrowRight");
    expect(await told()).not.toBe(before);
    await page.getByRole("tab", { name: "Nyquist" }).click();
    await expect.poll(() => page.locator(".critical").count()).toBe(1);
  });
});

describe("sliders", () => {
  it("move motion, frequencies and poles, and go back", async () => {
    const { page, errors } = await study();
    const field = page.locator('.slider[data-parameter="l1"] input[type="number"]');
    await field.fill("1.5");
    await field.press("Enter");
    await page.waitForFunction(() => (globalThis as any).linkwrightPage.live.get() !== null);
    await expect.poll(() => page.locator("#analysis .pole-ghost").count()).toBe(6);
    expect(await page.locator(".sliders-status").textContent()).toMatch(/^Frequencies .* were 0\.3563/);
    await page.getByRole("button", { name: "Reset all" }).click();
    await expect.poll(() => page.evaluate(() => (globalThis as any).linkwrightPage.live.get())).toBeNull();
    expect(await page.locator("#analysis .pole-ghost").count()).toBe(0);
    expect(await field.inputValue()).toBe("1");
    expect(errors).toEqual([]);
  });
});

describe("trust", () => {
  it("finds the digests of model and code, and computes the motion again", async () => {
    const { page, errors, requests } = await study();
    for (const what of ["model", "equations", "code"]) expect(await page.locator(`[data-hash="${what}"]`).getAttribute("data-match")).toBe("true");
    await page.getByRole("button", { name: "Compute the motion again" }).click();
    await page.waitForFunction(() => /agrees|differs/.test(document.querySelector(".again [role=status]")?.textContent ?? ""));
    expect(await page.locator(".again [role=status]").textContent()).toContain("largest difference");
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });
});
