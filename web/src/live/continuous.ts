// A model whose sampled filters work all the time: of such a model the program's equilibria and poles are, and so the page's.
//
//     ẋ = A x + B input,      held = x₁ + D input at once
//
// What a filter holds keeps its place among the states, where nothing depends on it any more.

import type { Model } from "../model";
import { filters_of } from "./sampling";

export function continuous(model: Model): Model {
  const list = model.live?.sampling ?? [];
  if (!list.length || !model.sampling) return model;
  const { rhs_jacobian: _, ...rest } = model;
  const nq = model.NQ;
  return {
    ...rest,
    rhs(t, x, w, c) {
      const full = Float64Array.from(x);
      const states = (i: number): number[] => list[i]!.x.map((place) => full[nq + place]!);
      // each after those it hears of
      for (let round = 0; round < list.length; ++round)
        filters_of(model, t, full, w, c).forEach(({ D, input }, i) => (full[nq + list[i]!.held] = (states(i)[0] ?? 0) + D * input));
      const rates = Float64Array.from(model.rhs(t, full, w, c));
      filters_of(model, t, full, w, c).forEach(({ A, B, input }, i) =>
        list[i]!.x.forEach((place, k) => (rates[nq + place] = B[k]! * input + states(i).reduce((sum, y, j) => sum + A.entries[k * A.columns + j]! * y, 0))));
      return rates;
    },
  };
}
