/**
 * Keeps a box at an input, wherever the page moves the input: one look per frame while it is shown, none at all
 * otherwise. Scroll, resize and mutation events together still miss content inserted above, transforms and
 * animations; a clean getBoundingClientRect costs about a microsecond. To choose the side of the input takes a look
 * at the whole page: that happens more rarely.
 */

import { bare } from '../../interface/bare.ts';
import { ABOVE, areaAt, BELOW, BESIDE, GAP_PX } from './placement.ts';
import { focused, survey } from './surroundings.ts';

/** Between the box and the edges of what is seen of the page. */
const MARGIN_PX = 8;

/** How much of the input has to be seen: what is scrolled out of its container takes its status with it. */
const SEEN_RATIO = 0.5;

/** How long a choice of the side lasts while the layout changes. */
const CHOICE_MS = 250;

/** Nobody reads a box that is narrower than the first; in one of the second, half a sentence has room in a line. */
const NARROWEST_EM = 8;
const WIDE_ENOUGH_EM = 18;

/** Gives the box the input's font, corners and direction, and its place. @returns what stops that */
export function keepAt(input: HTMLInputElement, box: HTMLElement): () => undefined {
  const { style } = box;
  let left = 0;
  let top = 0;
  /** A body that is zoomed or scaled makes more or less than one pixel of a pixel. */
  let scale = 1;
  let seen = true;
  let side: number = BELOW;
  /** What the side was chosen for, when, and what the box covers there. */
  let active: Element | null | undefined;
  let layout: string;
  let chosenAt: number;
  let covered: number;
  let own: DOMRect;

  const watcher = new IntersectionObserver(
    (entries) => {
      seen = (entries.pop() as IntersectionObserverEntry).isIntersecting;
    },
    bare({ threshold: SEEN_RATIO }),
  );
  watcher.observe(input);

  const its = getComputedStyle(input);
  const dress = () => {
    // Not the shorthand: it is empty where it can't say all, as in forced colours.
    style.fontFamily = its.fontFamily;
    style.fontSize = `max(12px,.875*${its.fontSize})`;
    // Round ends are for one line: in a box of several, they would take letters away.
    style.borderRadius = `min(${its.borderTopLeftRadius},.75em)`;
  };
  dress();

  const look = (now: number) => {
    frame = requestAnimationFrame(look);
    const target = input.getBoundingClientRect();
    box.hidden = !target.width || its.visibility === 'hidden';
    if (box.hidden) return;

    // What an on-screen keyboard and a pinch leave of the page.
    const { offsetLeft, offsetTop, width, height } = visualViewport as VisualViewport;
    const bounds = {
      left: offsetLeft + MARGIN_PX,
      top: offsetTop,
      right: offsetLeft + width - MARGIN_PX,
      bottom: offsetTop + height,
    };
    const { direction } = its;
    const em = parseFloat(its.fontSize);
    style.direction = direction;
    const isRightToLeft = direction === 'rtl';
    // In eighths: what is measured of a scale is not exact, and the width would never come to rest.
    const pixel = Math.round(scale * 8) / 8 || 1;
    const areaOn = (tried: number) => {
      const beside = isRightToLeft ? target.left - bounds.left : bounds.right - target.right;
      const room = tried === BESIDE ? Math.max(NARROWEST_EM * em, beside - GAP_PX) : width - 2 * MARGIN_PX;
      style.maxWidth = `${Math.min(room, Math.max(target.width, WIDE_ENOUGH_EM * em)) / pixel}px`;
      own = box.getBoundingClientRect();
      return areaAt(tried, target, own, bounds, isRightToLeft);
    };

    // Chromium remembers the text of each number that a page turns into one: soon 48 kB. JSON and toFixed() avoid that.
    const next = JSON.stringify({
      ...bounds,
      target,
      direction,
      em,
      height: (input.form ?? document.documentElement).offsetHeight,
    });
    const nowActive = focused();
    if (active !== nowActive || (layout !== next && now - chosenAt > CHOICE_MS)) {
      active = nowActive;
      layout = next;
      chosenAt = now;
      covered = Infinity;
      dress();
      const coveredBy = survey(input, active);
      for (let tried: number = ABOVE; tried >= BELOW; tried--) {
        const there = coveredBy(areaOn(tried));
        if (there <= covered) {
          covered = there;
          side = tried;
        }
      }
    }
    // Out of sight, but where screen readers find it: what comes back is not announced again.
    const isAway = !seen || covered === Infinity || target.top > bounds.bottom || target.bottom < bounds.top;
    style.clipPath = isAway ? 'inset(50%)' : '';

    // Where the box came to lie is measured, not assumed: a body that is positioned, transformed or zoomed
    // moves what is fixed in it.
    const wanted = areaOn(side);
    scale = own.width / box.offsetWidth || 1;
    const dx = wanted.left - own.left;
    const dy = wanted.top - own.top;
    // Nearer than a hundredth of a pixel it is there: more would be seen, as blurred edges.
    if (dx * dx + dy * dy < 1e-4) return;
    left += dx / scale;
    top += dy / scale;
    style.translate = `${left.toFixed(3)}px ${top.toFixed(3)}px`;
  };
  // Not at once: this frame is laid out when it is drawn, and would be laid out twice.
  let frame = requestAnimationFrame(look);

  return () => {
    cancelAnimationFrame(frame);
    watcher.disconnect();
    box.removeAttribute('style');
  };
}
