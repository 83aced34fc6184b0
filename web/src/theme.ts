// Light or dark: what the reader's system says, until the reader says otherwise.

import type { Shared, Theme } from "./shared";

const key = "linkwright-theme";

// A page from disk may be denied storage: then the choice lasts as long as the page.
function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

export const preferred_theme = (): Theme =>
  remembered() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

export function keep_theme(shared: Shared): void {
  shared.theme.listen((theme) => (document.documentElement.dataset.theme = theme), true);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if (!remembered()) shared.theme.set(event.matches ? "dark" : "light");
  });
}

// Paper is light: canvases, too, are drawn in light colours for it.
export function print_light(shared: Shared): void {
  let before: Theme = "light";
  addEventListener("beforeprint", () => {
    before = shared.theme.get();
    shared.theme.set("light");
  });
  addEventListener("afterprint", () => shared.theme.set(before));
}

export function choose_theme(shared: Shared, theme: Theme): void {
  shared.theme.set(theme);
  try {
    localStorage.setItem(key, theme);
  } catch {
    // kept for this page only
  }
}

// The colours of the style sheet, for canvases.
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const thing_colours = (): string[] => [0, 1, 2, 3, 4, 5, 6].map((i) => colour(`thing-${i}`));
