/** The current options: the defaults, the page's options over them, and the overrides of forms and inputs. */

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
  /** The page's current options, without overrides. */
  _options(): Options;
  /** The current options of an input: its overrides, then its form's, then the page's options. */
  _optionsFor(input?: HTMLInputElement): Options;
  /** Sets options of the page. Warns of wrong ones. */
  _give(given: GivenOptions): void;
  /** Sets the options of the script tag. */
  _read(attributes: DOMStringMap): void;
}

export function createSettings(baseUrl: string, warn: (message: string) => void): Settings {
  const defaults: Options = { ...DEFAULTS, baseUrl };
  let options = { ...defaults };
  /** The last `messages` of the page, to merge again when `locale` changes. */
  let texts: unknown[] = [{}];
  /** Each option that can be overridden, with its attribute. */
  const overrides = OVERRIDES.map(
    (name) => [name, `data-email-verify-${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`] as const,
  );

  /** Applies an element's `data-email-verify-…` attributes. */
  function override(all: Record<string, unknown>, element?: HTMLElement | null): Record<string, unknown> {
    for (const [name, attribute] of element ? overrides : []) {
      const text = attributeOf(element as HTMLElement, attribute);
      if (text === null) continue;
      all[name] = readOption(name, attributeReadings(text), all, warn) ?? all[name];
    }
    return all;
  }

  /** @param readings ways to read the value, best first */
  function assign(name: string, readings: unknown[]) {
    const value = readOption(name, readings, defaults, warn);
    if (value === undefined) return;
    options = { ...options, [name]: value };
    if (name === 'messages') texts = readings;
    if (name === 'locale') {
      // `messages` overrides `locale`, in whichever order they are set.
      defaults.messages = value as Messages;
      assign('messages', texts);
    }
  }

  return {
    _options: () => options,
    _optionsFor: (input) => override(override({ ...options }, input?.form), input) as unknown as Options,

    _give(given) {
      try {
        // Throws for a value that is not an object.
        for (const name of Reflect.ownKeys(given) as string[]) {
          assign(name, [(given as Record<string, unknown>)[name]]);
        }
      } catch {
        // The value is not an object, or has a getter that throws.
        warn('options: Expected an object.');
      }
    },

    _read(attributes) {
      for (const name of Object.keys(attributes)) assign(name, attributeReadings(attributes[name] as string));
    },
  };
}
