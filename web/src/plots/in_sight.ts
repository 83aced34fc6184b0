// What follows the cursor in time follows it only where the reader sees it: a plot out of the window costs nothing in a frame.

/** `act`, put off while the element is out of sight: then it is done once when the element comes into the window, or before printing. */
export function in_sight(element: Element, act: () => void): () => void {
  if (typeof IntersectionObserver === "undefined") return act;
  let [is_seen, is_due] = [false, false];
  const catch_up = (): void => {
    if (is_due) act();
    is_due = false;
  };
  new IntersectionObserver((entries) => {
    is_seen = entries[entries.length - 1]!.isIntersecting;
    if (is_seen) catch_up();
  }, { rootMargin: "100px" }).observe(element);
  addEventListener("beforeprint", catch_up);
  return () => (is_seen ? act() : void (is_due = true));
}
