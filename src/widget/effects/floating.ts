/**
 * Keeps a box at an input, wherever the page moves the input: one look per frame while it is shown, none at all
 * otherwise. Scroll, resize and mutation events together still miss content inserted above, transforms and
 * animations; a clean getBoundingClientRect costs about a microsecond.
 */

import { bare } from '../../interface/bare.ts';

/** Between the input and the box, and between the box and the edges of the window. */
const GAP_PX = 4;
const MARGIN_PX = 8;

/** How much of the input has to be seen: what is scrolled out of its container takes its status with it. */
const SEEN_RATIO = 0.5;

/** Gives the box the input's font and its place. @returns what stops that */
export function keepAt(input: HTMLInputElement, box: HTMLElement): () => undefined {
  const { style } = box;
  let left = 0;
  let top = 0;
  let seen = true;

  const watcher = new IntersectionObserver(
    (entries) => {
      seen = (entries.pop() as IntersectionObserverEntry).isIntersecting;
    },
    bare({ threshold: SEEN_RATIO }),
  );
  watcher.observe(input);

  // Not the shorthand: it is empty where it can't say all, as in forced colours.
  const its = getComputedStyle(input);
  style.fontFamily = its.fontFamily;
  style.fontSize = its.fontSize;

  const look = () => {
    frame = requestAnimationFrame(look);
    const target = input.getBoundingClientRect();
    box.hidden = !seen || !target.width || its.visibility === 'hidden';
    if (box.hidden) return;

    const own = box.getBoundingClientRect();
    const rightToLeft = getComputedStyle(box).direction === 'rtl';
    const rightmost = document.documentElement.clientWidth - MARGIN_PX - own.width;
    const wantedLeft = Math.max(
      MARGIN_PX,
      Math.min(rightmost, rightToLeft ? target.right - own.width : target.left),
    );
    const above = target.top - GAP_PX - own.height;
    const below = target.bottom + GAP_PX;
    const wantedTop = below + own.height > innerHeight && above >= 0 ? above : below;

    // Where the box came to lie is measured, not assumed: a body that is positioned, transformed or zoomed
    // moves what is fixed in it. In one that is zoomed or scaled, a pixel moves the box by more or less than one.
    const scale = own.width / box.offsetWidth || 1;
    const dx = wantedLeft - own.left;
    const dy = wantedTop - own.top;
    // Nearer than a hundredth of a pixel it is there: more would be seen, as blurred edges.
    if (dx * dx + dy * dy < 1e-4) return;
    left += dx / scale;
    top += dy / scale;
    style.translate = `${left}px ${top}px`;
  };
  // Not at once: this frame is laid out when it is drawn, and would be laid out twice.
  let frame = requestAnimationFrame(look);

  return () => {
    cancelAnimationFrame(frame);
    watcher.disconnect();
    box.removeAttribute('style');
  };
}
