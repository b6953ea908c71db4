/** The widget after it woke up: its fields, and the events that it passes to them. */

import { unlessItThrows } from '../protocol/unless-it-throws.ts';
import { browser } from './browser.ts';
import { createAnswers } from './check/answers.ts';
import { cleanse, marked } from './effects/appearance.ts';
import { createNovalidate } from './effects/novalidate.ts';
import { createSubmissions } from './effects/submission.ts';
import { createFieldClass, type Detail, type Field, type Site } from './field.ts';
import type { GivenOptions } from './options.ts';
import { IN_EACH_ROOT, isMonitored, monitoredIn, type PageEvents, watch } from './page.ts';
import { addToBody, attributeOf, controlsOf, detach, findAll, matches } from './prototypes.ts';
import { presentFace } from './seam.ts';
import { createSettings, type Settings } from './settings.ts';
import { createTimer } from './timer.ts';

export interface Awake extends Pick<Settings, '_optionsFor' | '_give'> {
  /** Warns if there is still no key. */
  _remind(): void;
  /** An event on the page. */
  _notice(event: Event): void;
  _judge(input: HTMLInputElement): Promise<Detail> | false | undefined;
  _release(): void;
}

/**
 * Loads one of the widget's other files: the face, or without a URL the file for the option `debug`.
 *
 * @param baseUrl the option `baseUrl`
 */
export type Load = (baseUrl?: string) => Promise<unknown>;

/**
 * How often the widget compares each field with its input. Scripts and password managers change values without an
 * event, and an input that leaves the page fires none either.
 */
const LOOK_MS = 250;

/**
 * @param baseUrl the default of the option `baseUrl`
 * @param load loads one of the widget's other files
 * @param listener receives every event on the page and passes it to `_notice`
 * @param attributes the options of the script tag, as text
 * @param calls the options that the page has set since, in order
 */
export function createAwake(
  baseUrl: string,
  load: Load,
  listener: (event: Event) => void,
  attributes: DOMStringMap,
  calls: readonly GivenOptions[],
): Awake {
  const fields = new Map<HTMLInputElement, Field>();
  const warned = new Map<string, unknown>();
  const novalidate = createNovalidate();
  const roots: Node[] = [];
  const answers = createAnswers();
  let OneField: ReturnType<typeof createFieldClass> | undefined;
  const looking = createTimer();
  const settings = createSettings(baseUrl, warn);
  const { _options: page, _optionsFor: optionsFor } = settings;
  /** The `baseUrl` of the last preconnect. */
  let connected = '';
  let isRunning = false;
  let explaining: Promise<unknown> | undefined;
  let loading: Promise<unknown> | undefined;

  function warn(message: string) {
    if (warned.has(message)) return;
    warned.set(message, 1);
    console.warn(`email-verify-widget: ${message}`);
  }

  const submissions = createSubmissions(
    fieldOf,
    (form, untouchedToo) =>
      monitoredIn(form, page()).flatMap(
        (input) => fields.get(input) ?? (untouchedToo && input.value.trim() ? contact(input) : []),
      ),
    openForm,
  );

  /** Removes `novalidate` from a form with an input to validate. */
  function openForm(form: HTMLFormElement) {
    if (
      attributeOf(form, 'novalidate') !== null &&
      controlsOf(form).some((control) => isMonitored(control, page()) && optionsFor(control).formValidation)
    ) {
      novalidate._take(form);
    }
  }

  /** The field of an input, if it is monitored. */
  function fieldOf(target?: EventTarget) {
    return isMonitored(target, page()) ? contact(target) : undefined;
  }

  /** The field of an input. Makes it if there is none yet. */
  function contact(input: HTMLInputElement): Field {
    let field = fields.get(input);
    if (!field) {
      forget();
      if (input.form) openForm(input.form);
      OneField ??= createFieldClass();
      field = new OneField(input, site);
      fields.set(input, field);
      const root = input.getRootNode();
      if (root !== document) {
        watch(root, IN_EACH_ROOT, listener, true);
        roots.push(root);
      }
      looking._start(LOOK_MS, look);
    }
    return field;
  }

  /** Releases forms and inputs that have left the page, and inputs that are no longer monitored; with `all`, every one. */
  function forget(all?: boolean) {
    novalidate._release(all);
    fields.forEach((field, input) => {
      if (!all && isMonitored(input, page())) return;
      fields.delete(input);
      field._release();
      // A held submission may have waited only for this input.
      submissions._settled();
    });
    marked().forEach((input) => {
      if (!fields.has(input)) cleanse(input);
    });
  }

  /** Checks every field, and again after a pause while there are fields. */
  function look() {
    // The face may come when this widget is removed. What is marked then belongs to the next one.
    if (!isRunning) return;
    forget();
    fields.forEach((field) => {
      field._look();
    });
    if (fields.size) looking._start(LOOK_MS, look);
  }

  const site: Site = {
    _submissions: submissions,
    _answers: answers,
    _fieldOf: fieldOf,
    _optionsFor: optionsFor,
    _warn: warn,
    // Loads it only once in a page. Without the face, everything but the visible status works. A look shows all fields,
    // and the next one their texts.
    // biome-ignore lint/suspicious/noAssignInExpressions: the shortest way to do something once.
    _face: () => presentFace() ?? void (loading ??= load(page().baseUrl).then(look, warn)),
    _captchaToken(input) {
      const { captcha } = page();
      return (
        captcha &&
        (() =>
          typeof captcha === 'function' ? captcha(input) : findAll<HTMLInputElement>(captcha)[0]?.value)
      );
    },
  };

  /**
   * The field of an input whose value has changed. If a script changes a value at load, there is none: that would spend
   * a verification before the visitor does anything. Password managers and tests also fire untrusted events, but after
   * the visitor was active, or in the focused input.
   */
  function changedField(event: Event, target?: EventTarget) {
    const isByVisitor =
      event.isTrusted ||
      navigator.userActivation?.hasBeenActive !== false ||
      matches(target as Element, ':focus');
    return fields.get(target as HTMLInputElement) ?? (isByVisitor ? fieldOf(target) : undefined);
  }

  /** Connects to the service while the visitor types, so that the first request needs no handshake. */
  function connect() {
    const { baseUrl } = page();
    // The browser connects as soon as the link is in the document. The link can go at once.
    if (connected !== baseUrl) detach(addToBody('link', { rel: 'preconnect', href: baseUrl }));
    connected = baseUrl;
  }

  const refreshAll = () => {
    fields.forEach((field) => {
      field._look();
      field._wait();
    });
  };

  const on: PageEvents = {
    ...submissions._events,
    focusin(_, target) {
      const field = fieldOf(target);
      if (!field) return;
      connect();
      field._look();
    },
    // A known field is not checked for each key. The widget checks it again before its request.
    input: (event, target) => changedField(event, target)?._changed(),
    change(event, target) {
      const field = changedField(event, target);
      field?._changed();
      field?._settle();
    },
    // Firefox also fires `focusout` after the visitor has left the page. Then no request is needed.
    focusout(_, target) {
      if (!document.hidden) fieldOf(target)?._settle();
    },
    reset(event, target) {
      // `reset` fires before the values change, and a later listener may still prevent it.
      browser._setTimeout(() => {
        if (event.defaultPrevented) return;
        submissions._drop(target as HTMLFormElement);
        fields.forEach((field, input) => {
          if (input.form === target) field._forget();
        });
      });
    },
    pagehide() {
      submissions._drop();
      fields.forEach((field) => {
        field._suspend();
      });
    },
    pageshow: refreshAll,
  };

  /** Applies changed options to everything. */
  function apply() {
    const { apiKey, debug } = page();
    // biome-ignore lint/suspicious/noAssignInExpressions: the same.
    if (debug) void (explaining ??= load().catch(warn));
    if (!apiKey && !isRunning) return;
    isRunning = !!apiKey;
    forget(!isRunning);
    novalidate._release(true);
    // Forms without `novalidate` cost nothing.
    if (isRunning) findAll<HTMLFormElement>('form[novalidate]').forEach(openForm);
    else submissions._drop();
    refreshAll();
  }

  settings._read(attributes);
  calls.forEach(settings._give);
  watch(window, Object.keys(on), listener, true);
  apply();

  return {
    _optionsFor: optionsFor,
    _remind: () => page().apiKey || warn('option apiKey: Expected a public key.'),
    _notice(event) {
      // For an input in an open shadow root, the event's target is the host. The path begins with the input.
      if (isRunning) on[event.type as keyof PageEvents](event, event.composedPath()[0]);
    },
    _give(given) {
      settings._give(given);
      apply();
    },
    _judge: (input) => isRunning && fieldOf(input)?._judge('call'),
    _release() {
      isRunning = false;
      submissions._drop();
      forget(true);
      looking._stop();
      watch(window, Object.keys(on), listener, false);
      for (const root of roots) watch(root, IN_EACH_ROOT, listener, false);
      const { captcha } = page();
      // The page's function may throw. The widget is removed all the same.
      unlessItThrows(() => (captcha as { cancel?(): void }).cancel?.());
    },
  };
}
