// Tabs: one of several views at a time, made when it is first looked at. Arrow keys go from one to the next.

import { el } from "./element";

export interface Tab {
  name: string;
  title: string;
  make(): HTMLElement;
}

let groups = 0;

export function tabs(label: string, list: Tab[]): HTMLElement {
  const id = `tabs-${++groups}`;
  const made = new Map<string, HTMLElement>();
  const views = el("div", { class: "tab-views" });
  const buttons = list.map((tab) =>
    el("button", { type: "button", role: "tab", class: "tab", id: `${id}-${tab.name}`, "aria-controls": `${id}-${tab.name}-view`, onclick: () => choose(tab) }, tab.title));
  const choose = (tab: Tab): void => {
    if (!made.has(tab.name)) {
      const view = el("div", { role: "tabpanel", class: "tab-view", id: `${id}-${tab.name}-view`, "aria-labelledby": `${id}-${tab.name}` }, tab.make());
      made.set(tab.name, view);
      views.append(view);
    }
    made.forEach((view, name) => (view.hidden = name !== tab.name));
    buttons.forEach((button, i) => {
      const is_chosen = list[i] === tab;
      button.setAttribute("aria-selected", String(is_chosen));
      button.tabIndex = is_chosen ? 0 : -1;
    });
  };
  const bar = el("div", { role: "tablist", class: "tab-bar", "aria-label": label }, ...buttons);
  bar.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (at < 0 || step === 0) return;
    event.preventDefault();
    const next = (at + step + buttons.length) % buttons.length;
    buttons[next]!.focus();
    choose(list[next]!);
  });
  if (list[0]) choose(list[0]);
  return list.length > 1 ? el("div", { class: "tabs" }, bar, views) : views;
}
