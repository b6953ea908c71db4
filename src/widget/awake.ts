/** The widget at work: its fields, and what happens to them on the page. Made when something first concerns it. */

import { browser } from './browser.ts';
import { createAnswers } from './check/answers.ts';
import { cleanse, marked } from './effects/appearance.ts';
import { createNovalidate } from './effects/novalidate.ts';
import { createSubmissions } from './effects/submission.ts';
import { type Detail, Field, type Site } from './field.ts';
import type { GivenOptions } from './options.ts';
import { AWAKE, IN_EACH_ROOT, isMonitored, monitoredIn, type PageEvents, watch } from './page.ts';
import { addLink, attributeOf, controlsOf, detach, findAll, matches } from './prototypes.ts';
import { createSettings, type Settings } from './settings.ts';
import { createTimer } from './timer.ts';

export interface Awake extends Pick<Settings, '_page' | '_optionsFor'>, Pick<Site, '_warn'> {
  /** An event on the page. */
  _notice(event: Event): void;
  _set(given: GivenOptions): void;
  _verify(input: HTMLInputElement): Promise<Detail> | undefined;
  _destroy(): void;
}

/**
 * How often what is known, or being found out, is held against its input: scripts and password managers change
 * values without an event, and an input that leaves the page fires none either.
 */
const LOOK_MS = 250;

/**
 * @param baseUrl the default for the option
 * @param loadDebug loads what `debug` takes
 * @param listener hears every event on the page, and hands it on to `_notice`
 * @param attributes options in the script's tag, as text
 * @param calls options given since, in their order
 */
export function createAwake(
  baseUrl: string,
  loadDebug: () => Promise<unknown>,
  listener: (event: Event) => void,
  attributes: DOMStringMap,
  calls: readonly GivenOptions[],
): Awake {
  const answers = createAnswers();
  const novalidate = createNovalidate();
  const warned = new Set<string>();
  const fields = new Map<HTMLInputElement, Field>();
  const roots = new Set<Node>();
  const looking = createTimer(look);
  const settings = createSettings(baseUrl, warn);
  const { _page: page, _optionsFor: optionsFor } = settings;
  /** Where a connection has been made to already. */
  let connected = '';
  let isRunning = false;
  let isExplained = false;

  function warn(message: string) {
    if (warned.has(message)) return;
    warned.add(message);
    console.warn(`email-verify-widget: ${message}`);
  }

  const submissions = createSubmissions({
    _fieldOf: fieldOf,
    _fieldsOf: (form, untouchedToo) =>
      monitoredIn(form, page()).flatMap(
        (input) => fields.get(input) ?? (untouchedToo && input.value.trim() ? contact(input) : []),
      ),
    _validate: openForm,
  });

  /** Takes `novalidate` from a form that holds an input to validate. */
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

  /** The field of an input, made at its first contact. */
  function contact(input: HTMLInputElement): Field {
    let field = fields.get(input);
    if (!field) {
      forget();
      if (input.form) openForm(input.form);
      field = new Field(input, site);
      fields.set(input, field);
      const root = input.getRootNode();
      if (root !== document) {
        watch(root, IN_EACH_ROOT, listener, true);
        roots.add(root);
      }
      looking._start(LOOK_MS);
    }
    return field;
  }

  /** Lets go of the forms and inputs that are gone, and of inputs monitored no longer; or of all. */
  function forget(all?: boolean) {
    novalidate._giveBack(all);
    fields.forEach((field, input) => {
      if (!all && isMonitored(input, page())) return;
      fields.delete(input);
      field._release();
      // What waited for it may wait for nothing now, or for the input that has taken its place.
      submissions._settled();
    });
    marked().forEach((input) => {
      if (!fields.has(input)) cleanse(input);
    });
  }

  /** Looks at every field, as long as there is one. */
  function look() {
    forget();
    for (const field of fields.values()) field._look();
    if (fields.size) looking._start(LOOK_MS);
  }

  const site: Site = {
    _answers: answers,
    _submissions: submissions,
    _fieldOf: fieldOf,
    _optionsFor: optionsFor,
    _warn: warn,
    _captchaToken(input) {
      const { captcha } = page();
      if (!captcha) return undefined;
      if (typeof captcha === 'function') return () => captcha(input);
      return () => findAll<HTMLInputElement>(captcha)[0]?.value;
    },
  };

  /**
   * The field of an input whose value has changed, unless a script did that at load: that would spend a verification
   * on a visitor who has done nothing yet. Password managers and tests fire such events as well, but in a page where
   * somebody has been active, or in the input that has the focus.
   */
  function changedField(event: Event, target?: EventTarget) {
    const isByVisitor =
      event.isTrusted ||
      navigator.userActivation?.hasBeenActive !== false ||
      matches(target as Element, ':focus');
    return fields.get(target as HTMLInputElement) ?? (isByVisitor ? fieldOf(target) : undefined);
  }

  /** The first verdict need not wait for a handshake: there is time for it while the visitor types. */
  function connect() {
    const { baseUrl } = page();
    // The browser has acted on the link when it is in the document: it need not stay.
    if (connected !== baseUrl) detach(addLink({ rel: 'preconnect', href: baseUrl }));
    connected = baseUrl;
  }

  const refreshAll = () => {
    for (const field of fields.values()) {
      field._look();
      field._wait();
    }
  };

  const on: PageEvents = {
    focusin(_, target) {
      const field = fieldOf(target);
      if (!field) return;
      connect();
      field._look();
    },
    // One that is known need not be looked at again for each key: before it is asked for, it is.
    input: (event, target) => changedField(event, target)?._changed(),
    change(event, target) {
      const field = changedField(event, target);
      field?._changed();
      field?._settle();
    },
    // Firefox takes the focus away after the page was left: then there is nothing to be asked any more.
    focusout(_, target) {
      if (!document.hidden) fieldOf(target)?._settle();
    },
    click: submissions._pressed,
    keydown: submissions._pressed,
    invalid: submissions._refused,
    submit: (event) => submissions._submitted(event as SubmitEvent),
    formdata: (event) => submissions._collected(event as FormDataEvent),
    reset(event, target) {
      // The event comes before the values change, and a listener may still keep them from it.
      browser.setTimeout(() => {
        if (event.defaultPrevented) return;
        submissions._drop(target as HTMLFormElement);
        fields.forEach((field, input) => {
          if (input.form === target) field._forget();
        });
      }, 0);
    },
    pagehide() {
      submissions._drop();
      for (const field of fields.values()) field._suspend();
    },
    pageshow: refreshAll,
  };

  /** Brings everything in line with options that have changed. */
  function apply() {
    const { apiKey, debug } = page();
    if (debug && !isExplained) loadDebug().catch(warn);
    isExplained ||= debug;
    if (!apiKey && !isRunning) return;
    isRunning = !!apiKey;
    forget(!isRunning);
    novalidate._giveBack(true);
    // Forms that are there already: those without `novalidate` cost nothing.
    if (isRunning) findAll<HTMLFormElement>('form[novalidate]').forEach(openForm);
    else submissions._drop();
    refreshAll();
  }

  settings._read(attributes);
  calls.forEach(settings._give);
  watch(window, AWAKE, listener, true);
  apply();

  return {
    _page: page,
    _optionsFor: optionsFor,
    _warn: warn,
    _notice(event) {
      // In an open shadow root, the event's target is the host: the path begins with the input.
      if (isRunning) on[event.type as keyof PageEvents](event, event.composedPath()[0]);
    },
    _set(given) {
      settings._give(given);
      apply();
    },
    _verify: (input) => (isRunning ? fieldOf(input)?._judge('call') : undefined),
    _destroy() {
      isRunning = false;
      submissions._drop();
      forget(true);
      looking._stop();
      watch(window, AWAKE, listener, false);
      for (const root of roots) watch(root, IN_EACH_ROOT, listener, false);
      const { captcha } = page();
      try {
        if (typeof captcha === 'function') captcha.cancel?.();
      } catch {
        // The page's own. The widget has gone all the same.
      }
    },
  };
}
