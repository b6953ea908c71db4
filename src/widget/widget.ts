/**
 * One installed widget. After loading it sleeps: it listens for events and stores calls. The first event or call that
 * concerns it wakes it (awake.ts). A form that visitors do not use costs only the listeners.
 */

import { type Awake, createAwake, type Load } from './awake.ts';
import { type Browser, browser, takeBrowser } from './browser.ts';
import type { Detail } from './field.ts';
import type { GivenOptions, Options } from './options.ts';
import { WAKING, watch } from './page.ts';

/** The installed widget, as `install()` returns it. */
export interface Widget {
  /** Sets options, at any time. They take effect at once. For a wrong option, the console shows a warning. */
  set(options: GivenOptions): void;
  /**
   * Verifies an input's current value now.
   *
   * @returns a promise of the event's `detail`, or of `null` if there is nothing to verify or the value changes
   * meanwhile. The promise never rejects
   */
  verify(input: HTMLInputElement): Promise<Detail>;
  /**
   * Removes the widget and everything that it added: listeners, status elements, validity messages, attributes and
   * remembered results. Restores `novalidate`.
   */
  destroy(): void;
}

/** The parts of a widget that src/debug reads. The build does not shorten their names. */
export interface Inside {
  /** The current options of an input, or of the page if no input is given. */
  options(input?: HTMLInputElement): Options;
  /** The browser functions that the widget calls. It uses what src/debug puts in their place. */
  own: Browser;
}

/** How long after the document is ready the widget wakes by itself. Until then, the page's scripts can set a key. */
const SLEEP_MS = 250;

/**
 * @param origin returns the origin that the script was loaded from
 * @param load loads one of the widget's other files
 * @param attributes returns the options of the script tag, as text. Calls override them
 */
export function createWidget(
  origin: () => string,
  load: Load,
  attributes: () => DOMStringMap = () => ({}),
): Widget & Inside {
  const own = takeBrowser();
  let awake: Awake | undefined;
  let alarm: number | undefined;
  /** Options that the page set while the widget slept. */
  let told: GivenOptions[] = [];

  function wake(): Awake {
    awake ??= createAwake(origin(), load, notice, attributes(), told);
    return awake;
  }

  /** The widget ignores events until the document is ready. */
  function notice(event: Event) {
    if (document.readyState !== 'loading') wake()._notice(event);
  }

  function listen() {
    // Adding a listener again changes nothing.
    watch(window, WAKING, notice, true);
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', listen);
    else alarm ??= browser._setTimeout(() => wake()._remind(), SLEEP_MS);
  }

  listen();

  return {
    own,
    options: (input) => wake()._optionsFor(input),

    set(given) {
      listen();
      if (awake) awake._give(given);
      else told.push(given);
    },

    async verify(input) {
      try {
        return (await wake()._judge(input)) || null;
      } catch {
        // The page has passed something that throws when it is read.
        return null;
      }
    },

    destroy() {
      alarm = browser._clearTimeout(alarm) as undefined;
      document.removeEventListener('DOMContentLoaded', listen);
      watch(window, WAKING, notice, false);
      awake?._release();
      awake = undefined;
      told = [];
      attributes = () => ({});
    },
  };
}
