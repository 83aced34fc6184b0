import { describe, expect, it } from "vitest";
import { folded, type Place } from "../../src/graph/layout";

const chain = (count: number): Place[] => Array.from({ length: count }, (_, depth) => ({ name: `b${depth}`, depth, row: 0 }));

describe("folded", () => {
  it("leaves short graphs and broad ones as they are", () => {
    expect(folded(chain(5)).is_folded).toBe(false);
    const broad = [...chain(9), ...[1, 2].map((row) => ({ name: `side${row}`, depth: 1, row }))];
    expect(folded(broad).is_folded).toBe(false);
  });

  it("lays a long chain to and fro, each body beside or under the one before", () => {
    const { places, is_folded } = folded(chain(61));
    expect(is_folded).toBe(true);
    expect(Math.max(...places.map((one) => one.depth))).toBe(3);
    for (let i = 1; i < places.length; ++i) {
      const [a, b] = [places[i - 1]!, places[i]!];
      expect(Math.abs(b.depth - a.depth) + (b.row - a.row)).toBe(1);
    }
    expect(new Set(places.map((one) => `${one.depth} ${one.row}`)).size).toBe(61);
  });
});
