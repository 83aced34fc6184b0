// Pictures and films of the scene.

import { el } from "../element";
import { file_name, save_blob } from "../save";
import type { Shared } from "../shared";
import { end_of, start_of } from "../trajectory";
import type { View } from "./view";

export function save_picture(view: View, title: string): void {
  view.draw();
  view.canvas.toBlob((blob) => blob && save_blob(blob, file_name(title, "png")), "image/png");
}

const kinds = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"];

// A button that plays the motion once from its start and saves what was seen; absent where the browser records nothing.
export function video_button(view: View, shared: Shared, title: string): HTMLElement | null {
  const kind = typeof MediaRecorder === "undefined" || !view.canvas.captureStream ? undefined : kinds.find((one) => MediaRecorder.isTypeSupported(one));
  if (!kind) return null;
  let recorder: MediaRecorder | null = null;
  const button = el("button", { type: "button", onclick: () => (recorder ? recorder.stop() : start()) }, "Record video");
  const start = (): void => {
    const shown = shared.shown();
    if (!shown) return;
    const pieces: Blob[] = [];
    const loops = shared.loop.get();
    recorder = new MediaRecorder(view.canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = (event) => pieces.push(event.data);
    const unheard = shared.playing.listen((playing) => {
      if (!playing && shared.time.get() >= end_of(shown)) recorder?.stop();
    });
    recorder.onstop = () => {
      unheard();
      shared.loop.set(loops);
      shared.playing.set(false);
      recorder = null;
      button.textContent = "Record video";
      save_blob(new Blob(pieces, { type: kind }), file_name(title, kind.startsWith("video/mp4") ? "mp4" : "webm"));
    };
    shared.loop.set(false);
    shared.time.set(start_of(shown));
    recorder.start(500);
    button.textContent = "Stop recording";
    shared.playing.set(true);
  };
  return button;
}
