/**
 * Keeps a box next to an input. It measures only after something has spoken: an event, an observer or a change of the
 * page's text. Then it measures in each frame until nothing moves, so that the box follows an animation. While the page
 * rests, nothing runs but a look at one style, together with the widget's look at the field: a timer of its own would cost
 * as much as both.
 */

import { ABOVE, areaAt, BELOW, BESIDE, GAP_PX } from './placement.ts';
import { focused, survey } from './surroundings.ts';

/** Between the box and the edges of the visible page. */
const MARGIN_PX = 8;

/** The box is visible while this part of the input is. An input that scrolls out of its container takes the box along. */
const SEEN_RATIO = 0.5;

/** Events after which the input may be in another place, or another field has the focus. */
const MOVING = ['scroll', 'resize', 'focusin', 'focusout'];

/** A narrower box than the first is unreadable. In the width of the second, half a sentence fits in a line. */
const NARROWEST_EM = 8;
const WIDE_ENOUGH_EM = 18;

/**
 * Gives the box the input's font, corners and direction, and keeps it in place.
 *
 * @param listening options of the listeners, with the signal that ends all of it
 * @returns a function to call four times a second. It reads a style that no observer tells of. While the layout changes,
 * the side is chosen once for each call
 */
export function keepAt(
  input: HTMLInputElement,
  box: HTMLElement,
  listening: AddEventListenerOptions & { readonly signal: AbortSignal },
): () => void {
  const { style } = box;
  let left = 0;
  let top = 0;
  /** The size of one CSS pixel, which a zoomed or scaled body changes. */
  let scale = 1;
  let side: number = BELOW;
  /** For the chosen side: the focus, the layout, and the area that the box covers. */
  let active: Element | null | undefined;
  let layout: string;
  /** Whether the last choice was long enough ago. */
  let isDue = false;
  let covered: number;
  let own: DOMRect;
  /** Whether the page has changed its text since the choice. */
  let isStale = false;
  /** What looks in the next frame. */
  let frame = 0;
  /** The place of the input that the last look has found, and the observer that tells when it is there no more. */
  let watched: string;
  let movement: IntersectionObserver | undefined;
  /** The visible part of the input at that place. */
  let ratio = 1;

  const its = getComputedStyle(input);
  // Before the first frame, in which another font would move the letters. Not the shorthand `font`, which is empty in
  // forced colours.
  style.fontFamily = its.fontFamily;
  style.fontSize = `max(12px,.875*${its.fontSize})`;
  // In a box of several lines, round ends would cut off letters.
  style.borderRadius = `min(${its.borderTopLeftRadius},.75em)`;
  let wake = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      look();
    });
  };

  let look = () => {
    const target = input.getBoundingClientRect();
    box.hidden = !target.width || its.visibility !== 'visible';
    if (box.hidden) return;

    // The part of the page that an on-screen keyboard and a pinch zoom leave visible.
    const { offsetLeft, offsetTop, width, height } = visualViewport as VisualViewport;
    const bounds = {
      left: offsetLeft + MARGIN_PX,
      top: offsetTop,
      right: offsetLeft + width - MARGIN_PX,
      bottom: offsetTop + height,
    };
    const em = parseFloat(its.fontSize);
    style.direction = its.direction;
    const isRightToLeft = its.direction === 'rtl';
    // Rounded to eighths: the measured scale is inexact, and the width would change in every frame.
    const pixel = Math.round(scale * 8) / 8;
    const areaOn = (tried: number) => {
      const beside = isRightToLeft ? target.left - bounds.left : bounds.right - target.right;
      const room = tried === BESIDE ? Math.max(NARROWEST_EM * em, beside - GAP_PX) : width - 2 * MARGIN_PX;
      style.maxWidth = `${Math.min(room, Math.max(target.width, WIDE_ENOUGH_EM * em)) / pixel}px`;
      own = box.getBoundingClientRect();
      return areaAt(tried, target, own, bounds, isRightToLeft);
    };

    // Chromium caches the text of each number that a page converts, up to 48 kB. JSON and toFixed() avoid that.
    const next = JSON.stringify([bounds, target]);
    const nowActive = focused();
    isStale ||= layout !== next;
    if (active !== nowActive || (isStale && isDue)) {
      isStale = isDue = false;
      active = nowActive;
      layout = next;
      covered = Infinity;
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
    const isAway =
      ratio < SEEN_RATIO || covered === Infinity || target.top > bounds.bottom || target.bottom < bounds.top;
    style.clipPath = isAway ? 'inset(50%)' : '';

    // The box is measured where it really is: a positioned, transformed or zoomed body moves fixed elements.
    const wanted = areaOn(side);
    scale = own.width / box.offsetWidth || 1;
    const dx = wanted.left - own.left;
    const dy = wanted.top - own.top;
    // Close enough: at most a hundredth of a pixel off, so that edges are not blurred.
    const isOff = dx * dx + dy * dy > 1e-4;
    if (isOff) {
      left += dx / scale;
      top += dy / scale;
      style.translate = `${left.toFixed(3)}px ${top.toFixed(3)}px`;
    }
    if (watched !== next) {
      watched = next;
      watch(target);
      wake();
    } else if (isOff) wake();
  };

  const watch = (target: DOMRect) => {
    movement?.disconnect();
    movement = new IntersectionObserver(
      ([entry], observer) => {
        look();
        const { intersectionRatio } = entry as IntersectionObserverEntry;
        // Otherwise the input has moved, and another observer tells how much of it is visible.
        if (observer === movement && ratio !== intersectionRatio) {
          ratio = intersectionRatio;
          watch(target);
        }
        // Again, because after a long way the first look is a little off.
        look();
      },
      watchFrom(target, ratio),
    );
    movement.observe(input);
  };

  // In the next frame: measuring now would make the browser lay out this frame twice. First of all, because a page may
  // have replaced this function by one that throws.
  wake();
  const changes = new MutationObserver(() => {
    isStale = true;
    wake();
  });
  // Anything on the page may move the input, or put a text under it. The document does not tell of a shadow root.
  for (const root of [document, input.getRootNode()]) {
    changes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  }
  for (const type of MOVING) {
    window.addEventListener(type, wake, listening);
    window.visualViewport?.addEventListener(type, wake, listening);
  }

  listening.signal.onabort = () => {
    // An observer may still call once after the end.
    look = wake = () => {};
    cancelAnimationFrame(frame);
    changes.disconnect();
    movement?.disconnect();
  };
  return () => {
    isDue = true;
    // Nothing tells when a parent of the form becomes invisible. After that, the side may be chosen again.
    if (frame || isStale || box.hidden === (its.visibility === 'visible')) {
      // A page may have cancelled all frames, and in a hidden tab none comes. One waits at most.
      cancelAnimationFrame(frame);
      frame = 0;
      wake();
    }
  };
}

/**
 * Options of an observer that tells when an input leaves this place or changes its size, or when another part of it
 * becomes visible. Its root ends up to a pixel before the input does: of an input that becomes smaller in its place, a
 * larger part is in that root.
 *
 * @param ratio the part that it has there now
 */
function watchFrom({ left, top, right, bottom }: DOMRect, ratio: number): IntersectionObserverInit {
  const { clientWidth, clientHeight } = document.documentElement;
  const margins = [-top | 0, ~(clientWidth - right), ~(clientHeight - bottom), -left | 0];
  return {
    root: document,
    rootMargin: `${margins.join('px ')}px`,
    // A little less and a little more, from 0 to 1.
    threshold: [0.999 * ratio, ratio ** 0.99],
  };
}
