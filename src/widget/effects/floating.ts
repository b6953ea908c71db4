/**
 * Keeps a box next to an input. While the box is shown, it measures the input in each frame, which costs about a
 * microsecond. Events of scrolling, resizing and mutations would miss content inserted above, transforms and
 * animations. Choosing the side of the input takes a survey of the whole page, and happens less often.
 */

import { bare } from '../../protocol/bare.ts';
import { ABOVE, areaAt, BELOW, BESIDE, GAP_PX } from './placement.ts';
import { focused, survey } from './surroundings.ts';

/** Between the box and the edges of the visible page. */
const MARGIN_PX = 8;

/** The box is visible while this part of the input is. An input that scrolls out of its container takes the box along. */
const SEEN_RATIO = 0.5;

/** While the layout changes, the side is chosen at most once in this time. */
const CHOICE_MS = 250;

/** A narrower box than the first is unreadable. In the width of the second, half a sentence fits in a line. */
const NARROWEST_EM = 8;
const WIDE_ENOUGH_EM = 18;

/** Gives the box the input's font, corners and direction, and keeps it in place. @returns a function that stops this */
export function keepAt(input: HTMLInputElement, box: HTMLElement): () => undefined {
  const { style } = box;
  let left = 0;
  let top = 0;
  /** The size of one CSS pixel, which a zoomed or scaled body changes. */
  let scale = 1;
  let seen = true;
  let side: number = BELOW;
  /** For the chosen side: the focus, the layout, the time of the choice, and the area that the box covers. */
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
    // Not the shorthand `font`, which is empty in forced colours.
    style.fontFamily = its.fontFamily;
    style.fontSize = `max(12px,.875*${its.fontSize})`;
    // In a box of several lines, round ends would cut off letters.
    style.borderRadius = `min(${its.borderTopLeftRadius},.75em)`;
  };
  dress();

  const look = (now: number) => {
    frame = requestAnimationFrame(look);
    const target = input.getBoundingClientRect();
    box.hidden = !target.width || its.visibility === 'hidden';
    if (box.hidden) return;

    // The part of the page that an on-screen keyboard and a pinch zoom leave visible.
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
    // Rounded to eighths: the measured scale is inexact, and the width would change in every frame.
    const pixel = Math.round(scale * 8) / 8 || 1;
    const areaOn = (tried: number) => {
      const beside = isRightToLeft ? target.left - bounds.left : bounds.right - target.right;
      const room = tried === BESIDE ? Math.max(NARROWEST_EM * em, beside - GAP_PX) : width - 2 * MARGIN_PX;
      style.maxWidth = `${Math.min(room, Math.max(target.width, WIDE_ENOUGH_EM * em)) / pixel}px`;
      own = box.getBoundingClientRect();
      return areaAt(tried, target, own, bounds, isRightToLeft);
    };

    // Chromium caches the text of each number that a page converts, up to 48 kB. JSON and toFixed() avoid that.
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
    // Hidden, but still in the accessibility tree: otherwise screen readers would announce it again.
    const isAway = !seen || covered === Infinity || target.top > bounds.bottom || target.bottom < bounds.top;
    style.clipPath = isAway ? 'inset(50%)' : '';

    // The box is measured where it really is: a positioned, transformed or zoomed body moves fixed elements.
    const wanted = areaOn(side);
    scale = own.width / box.offsetWidth || 1;
    const dx = wanted.left - own.left;
    const dy = wanted.top - own.top;
    // Close enough: at most a hundredth of a pixel off, so that edges are not blurred.
    if (dx * dx + dy * dy < 1e-4) return;
    left += dx / scale;
    top += dy / scale;
    style.translate = `${left.toFixed(3)}px ${top.toFixed(3)}px`;
  };
  // In the next frame: measuring now would make the browser lay out this frame twice.
  let frame = requestAnimationFrame(look);

  return () => {
    cancelAnimationFrame(frame);
    watcher.disconnect();
    box.removeAttribute('style');
  };
}
