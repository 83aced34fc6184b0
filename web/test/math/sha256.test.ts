import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "../../src/math/sha256";

it("sha256 gives the digests of the standard", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

it("sha256 takes any length and letters beyond ASCII", () => {
  for (let n = 50; n < 130; ++n) {
    const text = "ωé🙂".repeat(n).slice(0, n);
    if (/[\ud800-\udbff]$/.test(text)) continue; // half of a pair of code units
    expect(sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  }
});
