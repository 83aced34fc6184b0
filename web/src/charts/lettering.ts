// How large the letters of pictures are: as large as those of the page, which grow with the window (`html` in style/base.css).

/** Pixels of the page for a pixel of a drawing that was laid out for letters of an ordinary size; never less than 1. */
export const lettering = (): number => Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1);
