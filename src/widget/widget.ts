/** One installed widget: its options, its fields, and the page they stand on. */

import { type Browser, takeBrowser } from './browser.ts';
import { createAnswers } from './check/answers.ts';
import type { Messages } from './check/policy.ts';
import { createNovalidate } from './effects/novalidate.ts';
import { createSubmissions } from './effects/submission.ts';
import { createField, type Detail, type Field } from './field.ts';
import {
  attributeReadings,
  DEFAULTS,
  type GivenOptions,
  type Options,
  OVERRIDES,
  readOption,
} from './options.ts';
import { isMonitored, monitoredIn, watchPage, whenReady } from './page.ts';
import { append, attributeOf, body, controlsOf, create, detach, findAll } from './prototypes.ts';

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
  /** Takes everything back: listeners, status elements, validity, `novalidate`, attributes. */
  destroy(): void;
}

/**
 * How often what is known, or being found out, is held against its input: scripts and password managers change
 * values without an event, and an input that leaves the page fires none either.
 */
const LOOK_MS = 250;

/** What a widget shows to whoever explains what it does (src/debug): under names that no build shortens. */
export interface Inside {
  /** The options that hold for an input now; without one, the page's. */
  options(input?: HTMLInputElement): Options;
  /** What it takes from the browser, as it uses it: what stands here is what it calls. */
  own: Browser;
}

/**
 * @param origin the origin that the script was loaded from
 * @param loadDebug loads what `debug` takes; does nothing when that is there already
 * @param attributes options in the script tag, as text; calls come after them and may say otherwise
 */
export function createWidget(
  origin: string,
  loadDebug: () => Promise<unknown>,
  attributes: DOMStringMap = {},
): Widget & Inside {
  const browser = takeBrowser();
  const answers = createAnswers();
  const novalidate = createNovalidate();
  const warned = new Set<string>();
  const fields = new Map<HTMLInputElement, Field>();
  const defaults: Options = { ...DEFAULTS, baseUrl: origin };

  let options = { ...defaults };
  /** The page's own `messages`, as given. */
  let texts: unknown[] = [{}];
  let running: AbortController | undefined;
  let hear: ((input: HTMLInputElement) => void) | undefined;
  let lookTimer: number | undefined;

  function warn(message: string) {
    if (warned.has(message)) return;
    warned.add(message);
    console.warn(`email-verify-widget: ${message}`);
  }

  /** Puts `data-email-verify-…` on an element over what holds without it. */
  function override(options: Options, element?: HTMLElement | null): Options {
    const all = options as unknown as Record<string, unknown>;
    for (const [name, attribute] of element ? OVERRIDES : []) {
      const text = attributeOf(element as Element, attribute);
      if (text === null) continue;
      all[name] = readOption(name, attributeReadings(text), all, warn) ?? all[name];
    }
    return options;
  }

  const optionsFor = (input?: HTMLInputElement) => override(override({ ...options }, input?.form), input);

  const submissions = createSubmissions({
    browser,
    fieldOf,
    fieldsOf: (form, untouchedToo) =>
      monitoredIn(form, options).flatMap(
        (input) => fields.get(input) ?? (untouchedToo && input.value.trim() ? contact(input) : []),
      ),
    validate: openForm,
  });

  /** Takes `novalidate` from a form that holds an input to validate. */
  function openForm(form: HTMLFormElement) {
    if (
      attributeOf(form, 'novalidate') !== null &&
      controlsOf(form).some((control) => isMonitored(control, options) && optionsFor(control).formValidation)
    ) {
      novalidate.take(form);
    }
  }

  /** The field of an input, if it is monitored. */
  function fieldOf(target?: EventTarget) {
    return isMonitored(target, options) ? contact(target) : undefined;
  }

  /** The field of an input, made at its first contact. */
  function contact(input: HTMLInputElement): Field {
    let field = fields.get(input);
    if (!field) {
      forget();
      if (input.form) openForm(input.form);
      field = createField(input, site);
      fields.set(input, field);
      hear?.(input);
    }
    return field;
  }

  /** Lets go of the forms and inputs that are gone, and of inputs monitored no longer; or of all. */
  function forget(all?: boolean) {
    novalidate.giveBack(all);
    for (const [input, field] of fields) {
      if (!all && isMonitored(input, options)) continue;
      field.release();
      fields.delete(input);
      // What waited for it may wait for nothing now, or for the input that has taken its place.
      submissions.settled();
    }
  }

  function keepLooking() {
    lookTimer ??= browser.setTimeout(() => {
      lookTimer = undefined;
      if (!running) warn('option apiKey: Expected a public key.');
      forget();
      for (const field of fields.values()) if (field.look()) keepLooking();
    }, LOOK_MS);
  }

  const site = {
    browser,
    answers,
    submissions,
    fieldOf,
    optionsFor,
    keepLooking,
    captchaToken(input: HTMLInputElement) {
      const { captcha } = options;
      if (!captcha) return undefined;
      if (typeof captcha === 'function') return () => captcha(input);
      return () => findAll<HTMLInputElement>(captcha)[0]?.value;
    },
  };

  /**
   * The first verdict need not wait for a handshake: there is time for it while the visitor types. The browser acts
   * on the link as it comes into the document, where it need not stay.
   */
  function preconnect() {
    const link = create('link') as HTMLLinkElement;
    link.href = options.baseUrl;
    link.crossOrigin = '';
    link.rel = 'preconnect';
    append(body(), link);
    detach(link);
  }

  function start() {
    const present = new AbortController();
    running = present;
    whenReady(() => {
      // It may have been taken away again before the document was ready.
      if (running !== present) return;
      hear = watchPage(pageEvents, present.signal);
      openForms();
    });
  }

  /** Forms that are there already: those without `novalidate` cost nothing. */
  const openForms = () => findAll<HTMLFormElement>('form[novalidate]').forEach(openForm);

  const pageEvents = {
    ...submissions,
    entered(target?: EventTarget) {
      const field = fieldOf(target);
      if (!field) return;
      preconnect();
      field.look();
    },
    // One that is known need not be looked at again for each key: before it is asked for, it is.
    changed: (target?: EventTarget) => (fields.get(target as HTMLInputElement) ?? fieldOf(target))?.changed(),
    committed(target?: EventTarget) {
      const field = fieldOf(target);
      field?.changed();
      field?.settle();
    },
    // Firefox takes the focus away after the page was left: then there is nothing to be asked any more.
    exited: (target?: EventTarget) => document.hidden || fieldOf(target)?.settle(),
    resetting(event: Event) {
      const [form] = event.composedPath() as [HTMLFormElement];
      // The event comes before the values change, and a listener may still keep them from it.
      browser.setTimeout(() => {
        if (event.defaultPrevented) return;
        submissions.drop(form);
        for (const [input, field] of fields) if (input.form === form) field.forget();
      }, 0);
    },
    pageHidden() {
      submissions.drop();
      for (const field of fields.values()) field.suspend();
    },
    pageShown() {
      for (const field of fields.values()) field.refresh();
    },
  };

  /** Brings everything in line with options that have changed. */
  function refresh() {
    novalidate.giveBack(true);
    openForms();
    forget();
    pageEvents.pageShown();
  }

  // The page's other scripts have until the first look to set a key.
  whenReady(keepLooking);

  /** @param readings of the one value that was given, best first */
  function assign(name: string, readings: unknown[]) {
    const value = readOption(name, readings, defaults, warn);
    if (value === undefined) return;
    (options as unknown as Record<string, unknown>)[name] = value;
    if (name === 'messages') texts = readings;
    if (name === 'locale') {
      // The page's own texts go over those of its language, whichever came first.
      defaults.messages = value as Messages;
      assign('messages', texts);
    }
  }

  function apply() {
    if (options.debug) loadDebug().catch(warn);
    if (!options.apiKey) return;
    if (running) refresh();
    else start();
  }

  for (const name of Object.keys(attributes)) assign(name, attributeReadings(attributes[name] as string));
  apply();

  return {
    own: browser,
    options: optionsFor,

    set(given) {
      try {
        // Throws for whatever is no object.
        for (const name of Reflect.ownKeys(given) as string[]) {
          assign(name, [(given as Record<string, unknown>)[name]]);
        }
      } catch {
        // Nothing to read from, or a getter that throws.
        warn('options: Expected an object.');
      }
      apply();
    },

    async verify(input) {
      return (running && fieldOf(input)?.verify()) ?? null;
    },

    destroy() {
      running?.abort();
      running = undefined;
      submissions.drop();
      forget(true);
      browser.clearTimeout(lookTimer);
      lookTimer = undefined;
      options = { ...defaults };
      texts = [{}];
    },
  };
}
