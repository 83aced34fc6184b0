import { expect, it } from "vitest";
import { tokens } from "../../src/code/highlight";

const kinds = (text: string, language: string): string[] =>
  tokens(text, language).filter((one) => one.text.trim()).map((one) => `${one.kind}:${one.text.trim()}`);

it("gives back every letter of the text", () => {
  const text = 'def f(x):\n    """what\n    it does"""\n    return 1.5e-3*x  # done\n<script>alert("x")</script>';
  for (const language of ["python", "c", "matlab", "toml", "klingon"]) {
    expect(tokens(text, language).map((one) => one.text).join("")).toBe(text);
  }
});

it("tells comments, strings, numbers and words of the language apart", () => {
  expect(kinds("return 2.5; // why", "c")).toEqual(["keyword:return", "number:2.5", "plain:;", "comment:// why"]);
  expect(kinds('x = "a#b" # c', "python")).toEqual(["plain:x =", 'string:"a#b"', "comment:# c"]);
  expect(kinds("y = x'; s = 'text';", "matlab")).toContain("string:'text'");
  expect(kinds("a = 1.0_dp ! sum", "fortran")).toEqual(["plain:a =", "number:1.0_dp", "comment:! sum"]);
});
