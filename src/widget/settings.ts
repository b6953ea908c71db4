/** The options that hold now: the defaults, what the page has given, and what a form or an input has for itself. */

import type { Messages } from './check/policy.ts';
import {
  attributeReadings,
  DEFAULTS,
  type GivenOptions,
  type Options,
  OVERRIDES,
  readOption,
} from './options.ts';
import { attributeOf } from './prototypes.ts';

export interface Settings {
  /** The page's options now; without an input's or a form's own. */
  _page(): Options;
  /** The options for an input now: its own, over its form's, over the page's. */
  _optionsFor(input?: HTMLInputElement): Options;
  /** Takes options that the page gives. Warns of what cannot be used. */
  _give(given: GivenOptions): void;
  /** Takes options that stand as text in the script's tag. */
  _read(attributes: DOMStringMap): void;
}

export function createSettings(baseUrl: string, warn: (message: string) => void): Settings {
  const defaults: Options = { ...DEFAULTS, baseUrl };
  let options = { ...defaults };
  /** The page's own `messages`, as given. */
  let texts: unknown[] = [{}];
  /** By name, the attribute with which a form or an input overrides an option. */
  const overrides = OVERRIDES.map(
    (name) => [name, `data-email-verify-${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`] as const,
  );

  /** Puts `data-email-verify-…` on an element over what holds without it. */
  function override(current: Options, element?: HTMLElement | null): Options {
    if (!element) return current;
    const all = current as unknown as Record<string, unknown>;
    for (const [name, attribute] of overrides) {
      const text = attributeOf(element, attribute);
      if (text === null) continue;
      all[name] = readOption(name, attributeReadings(text), all, warn) ?? all[name];
    }
    return current;
  }

  /** @param readings of the one value that was given, best first */
  function assign(name: string, readings: unknown[]) {
    const value = readOption(name, readings, defaults, warn);
    if (value === undefined) return;
    options = { ...options, [name]: value };
    if (name === 'messages') texts = readings;
    if (name === 'locale') {
      // The page's own texts go over those of its language, whichever came first.
      defaults.messages = value as Messages;
      assign('messages', texts);
    }
  }

  return {
    _page: () => options,
    _optionsFor: (input) => override(override({ ...options }, input?.form), input),

    _give(given) {
      try {
        // Throws for whatever is no object.
        for (const name of Reflect.ownKeys(given) as string[]) {
          assign(name, [(given as Record<string, unknown>)[name]]);
        }
      } catch {
        // Nothing to read from, or a getter that throws.
        warn('options: Expected an object.');
      }
    },

    _read(attributes) {
      for (const name of Object.keys(attributes)) assign(name, attributeReadings(attributes[name] as string));
    },
  };
}
