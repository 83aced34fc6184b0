// Source code as an element, with line colours and a button that copies it.

import { el } from "../element";
import { tokens } from "./highlight";

/** Longer texts stay uncoloured: a browser takes its time for a hundred thousand pieces. */
const most_letters = 400000;

export function listing(text: string, language: string, label: string): HTMLElement {
  const code = el("code", { class: `code code-${language}` });
  const shown = text.replace(/^\n+/, "");
  if (shown.length > most_letters) code.textContent = shown;
  else for (const one of tokens(shown, language)) code.append(one.kind === "plain" ? one.text : el("span", { class: `token-${one.kind}` }, one.text));
  return el("pre", { class: "listing", tabindex: 0, role: "region", "aria-label": label }, code);
}

/** Copies a text; where the page may not (opened from disk in some browsers), selects it in a box instead. */
export function copy_button(what: string, text: () => string): HTMLButtonElement {
  const button = el("button", { type: "button", class: "copy" }, what);
  const tell = (words: string): void => {
    button.textContent = words;
    setTimeout(() => (button.textContent = what), 1600);
  };
  button.addEventListener("click", () => {
    void copy(text()).then((done) => tell(done ? "Copied" : "Copying failed"));
  });
  return button;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
