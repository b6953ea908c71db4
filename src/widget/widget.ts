/**
 * One installed widget. It sleeps when it is loaded: it listens, keeps what it is told, and does nothing else until
 * something concerns it (awake.ts). So a page with a form that nobody uses pays for nothing but the listeners.
 */

import { type Awake, createAwake } from './awake.ts';
import { type Browser, takeBrowser } from './browser.ts';
import type { Detail } from './field.ts';
import type { GivenOptions, Options } from './options.ts';
import { WAKING, watch, whenReady } from './page.ts';
import { createTimer } from './timer.ts';

/** What `install()` returns. */
export interface Widget {
  /** Sets options, at any time; they take effect at once. What can't be used is warned of in the console. */
  set(options: GivenOptions): void;
  /**
   * Verifies an input's present value now.
   *
   * @returns a promise of the `detail` of the event that follows; of `null` when there is nothing to verify or the
   * value changes meanwhile. Never rejected.
   */
  verify(input: HTMLInputElement): Promise<Detail>;
  /** Takes everything back: listeners, status elements, validity, `novalidate`, attributes, remembered answers. */
  destroy(): void;
}

/** What a widget shows to whoever explains what it does (src/debug): under names that no build shortens. */
export interface Inside {
  /** The options that hold for an input now; without one, the page's. */
  options(input?: HTMLInputElement): Options;
  /** What it takes from the browser, as it uses it: what stands here is what it calls. */
  own: Browser;
}

/** How long after the document is ready it wakes by itself: the page's other scripts have until then to set a key. */
const SLEEP_MS = 250;

/**
 * @param origin gives the origin that the script was loaded from
 * @param loadDebug loads what `debug` takes
 * @param attributes gives the options in the script tag, as text; calls come after them and may say otherwise
 */
export function createWidget(
  origin: () => string,
  loadDebug: () => Promise<unknown>,
  attributes: () => DOMStringMap = () => ({}),
): Widget & Inside {
  const own = takeBrowser();
  const alarm = createTimer(() => {
    const { _page: page, _warn: warn } = wake();
    if (!page().apiKey) warn('option apiKey: Expected a public key.');
  });
  let awake: Awake | undefined;
  /** What it was told while asleep. */
  let told: GivenOptions[] = [];
  let isListening = false;

  function wake(): Awake {
    awake ??= createAwake(origin(), loadDebug, notice, attributes(), told);
    return awake;
  }

  /** It starts when the document is ready. */
  function notice(event: Event) {
    if (document.readyState !== 'loading') wake()._notice(event);
  }

  function listen() {
    if (isListening) return;
    isListening = true;
    watch(window, WAKING, notice, true);
    // It may have been taken away again before the document was ready.
    whenReady(() => isListening && alarm._start(SLEEP_MS));
  }

  listen();

  return {
    own,
    options: (input) => wake()._optionsFor(input),

    set(given) {
      listen();
      if (awake) awake._set(given);
      else told.push(given);
    },

    async verify(input) {
      return (await wake()._verify(input)) ?? null;
    },

    destroy() {
      alarm._stop();
      isListening = false;
      watch(window, WAKING, notice, false);
      awake?._destroy();
      awake = undefined;
      told = [];
      attributes = () => ({});
    },
  };
}
