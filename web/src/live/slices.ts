// Long work in short slices: the page stays alive while a generator runs.

/** Waits until the page has drawn and answered; a timer alone would wait 4 ms each time. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === "undefined") return void setTimeout(resolve, 0);
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}

/** Runs the work to its end in slices of some milliseconds; null where `is_stale` says that nobody waits any more. */
export async function run_in_slices<Progress, Result>(
  work: Generator<Progress, Result>, is_stale: () => boolean, tell?: (progress: Progress) => void, slice = 8,
): Promise<Result | null> {
  for (;;) {
    const until = performance.now() + slice;
    let progress: Progress | undefined;
    do {
      const next = work.next();
      if (next.done) return next.value;
      progress = next.value;
    } while (performance.now() < until);
    if (tell && progress !== undefined) tell(progress);
    await breathe();
    if (is_stale()) return null;
  }
}
