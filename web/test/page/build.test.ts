import { readFileSync } from "node:fs";
import { build, type Rolldown } from "vite";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

describe("dist/report.html", () => {
  const committed = readFileSync(`${root}dist/report.html`, "utf8");

  it("is what the sources make", async () => {
    const result = (await build({ root, configFile: `${root}vite.config.ts`, logLevel: "silent", mode: "production", build: { write: false } })) as Rolldown.RolldownOutput;
    const page = result.output.find((one) => one.fileName === "report.html");
    const fresh = page?.type === "asset" ? String(page.source) : "";
    expect(fresh === committed, "run `npm run build` and commit dist/report.html").toBe(true);
  });

  it("has each placeholder once, before its script, and fetches nothing", () => {
    for (const name of ["report", "code"]) expect(committed.split(`<!--linkwright:${name}-->`)).toHaveLength(2);
    expect(committed.indexOf("<!--linkwright:code-->")).toBeLessThan(committed.indexOf('<script type="module">'));
    const markup = committed.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "");
    expect(markup).not.toMatch(/(src|href)="(?!data:)/);
    expect(markup).toContain("default-src 'none'");
    expect(/@import|url\((?!["']?data:)/.test(committed.match(/<style>([^]*?)<\/style>/)![1]!)).toBe(false);
    expect(committed.length).toBeLessThan(1.7e6);
  });
});
