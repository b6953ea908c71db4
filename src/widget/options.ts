/**
 * Every option in one table: its default, what is allowed, and how it reads in a message. Knows how a value is
 * checked and merged, not where it comes from (script tag, call, or attribute) nor what it does.
 */

import { bare } from '../interface/bare.ts';
import { jsonIn } from '../interface/json.ts';
import { STATES, type State } from '../interface/result.ts';
import type { Allow, Messages } from './check/policy.ts';
import { parses } from './prototypes.ts';

/** How the status looks, beside what custom properties and parts say. */
export interface Style {
  /** Colour of the spinner, any CSS colour. @default a translucent black, white where the page is dark */
  loadingIconColor: string;
}

/** Where `captcha_response` comes from: a function asked before each request, or the selector of an element whose value it is. */
export type Captcha =
  | string
  | (((input: HTMLInputElement) => string | PromiseLike<string>) & {
      /** Takes a challenge off the page. The widget calls it when it is destroyed. */
      cancel?: (() => void) | undefined;
    });

/** All options, each with a value (interface, section 6.2). */
export interface Options {
  /** A public key. Nothing happens before it is set. */
  apiKey: string;
  /** Which kinds of address are accepted; merged key by key over the default. */
  allow: Allow;
  /** Seconds to wait for a verification; sent as `timeout`, rounded down and clamped to 2–10. @default 5 */
  verificationTimeout: number;
  /** Milliseconds after typing stops before verifying. @default 1000 */
  verifyAfterDelay: number;
  /** Block forms with a rejected address and hold them while one is verified; removes `novalidate`. @default true */
  formValidation: boolean;
  /** CSS selector of the inputs monitored. @default 'input[type=email]' */
  inputSelector: string;
  /** Names of forms to leave alone. @default [] */
  ignoredForms: string[];
  /** Names of inputs to leave alone. @default [] */
  ignoredInputs: string[];
  /** Block a visitor whose verifications are used up (429), with `messages.rateLimited`. @default false */
  blockOnRateLimit: boolean;
  /** Parent of the status element, or its CSS selector: looked for in the input's form, then in the document. @default 'body' */
  statusAppendTo: string | Element;
  /** Merged key by key over the default. */
  style: Style;
  /** Texts for the visitor; merged key by key over the default. */
  messages: Messages;
  /** Texts in the page's language, which `messages` is merged over: one of `email-verify-widget/locales/…`. @default English */
  locale: Messages;
  /** Host of the API; `/v1/verify` is appended. @default the origin that the script was loaded from */
  baseUrl: string;
  /**
   * Gives the token that the service wants with each request; asked until it gives one. When it throws, or
   * `verificationTimeout` is over before, the input gets an `error` event, and the visitor may go on.
   *
   * @default '' (no captcha)
   */
  captcha: Captcha;
  /** `POST` keeps addresses out of URLs and access logs. @default 'GET' */
  method: 'GET' | 'POST';
  /** When an address is verified: while typing, on leaving the field, or when a submission is tried. @default 'input' */
  verifyOn: 'input' | 'blur' | 'submit';
  /** Name of a hidden input that carries the result's JSON text while its verdict stands; '' for none. @default '' */
  resultField: string;
  /** Log every decision in the console, and why: loads what that takes. Addresses are in it. @default false */
  debug: boolean;
}

/** Any part of it. A part that is `undefined` counts as not given, also under `exactOptionalPropertyTypes`. */
export type Given<Whole> = { [Name in keyof Whole]?: Whole[Name] | undefined };

/** What a page may give: any part of the options, and any part of the four that are merged. */
export type GivenOptions = Given<Omit<Options, 'allow' | 'messages' | 'style' | 'locale'>> & {
  /** Any of the kinds; the others stay as they are. */
  allow?: Given<Allow> | undefined;
  /** Any of the texts; the others stay as they are. */
  messages?: Given<Messages> | undefined;
  /** Any of it. */
  style?: Given<Style> | undefined;
  /** The texts that `messages` is merged over. */
  locale?: Given<Messages> | undefined;
};

/** What is taken before anything is set. `baseUrl` depends on where the script came from, and is set by its loader. */
export const DEFAULTS: Options = {
  apiKey: '',
  allow: { states: ['deliverable', 'risky', 'unknown'], free: true, role: true, disposable: false },
  verificationTimeout: 5,
  verifyAfterDelay: 1000,
  verifyOn: 'input',
  formValidation: true,
  inputSelector: 'input[type=email]',
  ignoredForms: [],
  ignoredInputs: [],
  blockOnRateLimit: false,
  statusAppendTo: 'body',
  style: { loadingIconColor: 'light-dark(#0000004d, #fff6)' },
  messages: {
    verifying: 'Checking this address…',
    invalid: 'This address does not seem to exist.',
    malformed: '',
    role: 'Please use your own address, not a shared one.',
    free: 'Please use a business address.',
    disposable: 'Please use a permanent address.',
    didYouMean: 'Did you mean [EMAIL]?',
    rateLimited: 'Please try again tomorrow.',
  },
  locale: {} as Messages,
  baseUrl: '',
  captcha: '',
  method: 'GET',
  resultField: '',
  debug: false,
};
DEFAULTS.locale = DEFAULTS.messages;

/** What a value has to be: how that reads after "Expected", and the test. */
type Kind = readonly [expected: string, accepts: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSelector = (value: unknown) => isText(value) && parses(value);
// The annotations below keep these tables out of the debug file, which uses the defaults alone.
const listOf = /* @__NO_SIDE_EFFECTS__ */ (item: string, accepts: (value: unknown) => boolean): Kind => [
  `a list of ${item}`,
  (value) => Array.isArray(value) && value.every(accepts),
];
const oneOf = /* @__NO_SIDE_EFFECTS__ */ (...values: unknown[]): Kind => [
  values.map(shown).join(' or '),
  (value) => values.includes(value),
];
/** Options that take less, or more, than their default's type says; and for all others, what that type says. */
const createKinds = () => ({
  ofPath: bare({
    'allow.states': listOf(STATES.join(', '), (item) => STATES.includes(item as State)),
    inputSelector: ['a CSS selector', isSelector],
    statusAppendTo: [
      'an element or a CSS selector',
      (value) => isSelector(value) || (isObject(value) && value.nodeType === 1),
    ],
    baseUrl: ['a URL', (value) => isText(value) && /^(https?:\/)?\/[^\s?#]+$/.test(value)],
    captcha: [
      'a function or a CSS selector',
      (value) => typeof value === 'function' || value === '' || isSelector(value),
    ],
    verifyOn: oneOf('input', 'blur', 'submit'),
    method: oneOf('GET', 'POST'),
  } as { readonly [path: string]: Kind }),
  ofType: {
    boolean: oneOf(true, false),
    string: ['a string', isText],
    // Timers overflow above 2 ** 31 ms.
    number: [
      'a number from 0 to 2000000',
      (value) => typeof value === 'number' && value >= 0 && value <= 2e6,
    ],
    object: listOf('names', isText),
  } as { readonly [type: string]: Kind },
  allowance: oneOf(true, false, 'warn'),
});

/** Made when the first option is checked, and not when the script is loaded. */
let kinds: ReturnType<typeof createKinds> | undefined;

/** What a form or an input may override, each by an attribute: `data-email-verify-` and the name in kebab case. */
export const OVERRIDES = [
  'allow',
  'messages',
  'style',
  'verifyAfterDelay',
  'verifyOn',
  'formValidation',
  'statusAppendTo',
] as const satisfies readonly (keyof Options)[];

/** A wrong value as its author will recognise it; never by a method that the value itself brings. */
function shown(value: unknown): string {
  if (isText(value)) return `"${value}"`;
  return Object(value) === value ? typeof value : String(value);
}

/**
 * Checks what was given for one option, and merges it over `base` where the option is an object. What can't be
 * used is warned of, and the rest is taken.
 *
 * @param readings of the same value, best first (an attribute is the JSON that it holds, or else a string)
 * @param base the options that hold without it
 * @returns the new value, or `undefined` when nothing of what was given can be used
 */
export function readOption(
  name: string,
  readings: readonly unknown[],
  base: object,
  warn: (message: string) => void,
  path = name,
): unknown {
  const expect = (expected: string, got: unknown) =>
    warn(`option ${path}: Expected ${expected}, got ${shown(got)}.`);
  const [value] = readings;
  // A bundler's missing environment variable is an option, or a part of one, that is not given.
  if (value === undefined) return undefined;
  if (!Object.keys(base).includes(name)) return expect(`one of ${Object.keys(base).join(', ')}`, name);

  kinds ??= createKinds();
  const { ofPath, ofType, allowance } = kinds;
  const present = (base as Record<string, unknown>)[name];
  if (isObject(present) && !ofPath[path]) {
    if (!isObject(value)) return expect('an object', value);
    const merged: Record<string, unknown> = { ...present };
    for (const key of Object.keys(value)) {
      const part = readOption(key, [value[key]], present, warn, `${path}.${key}`);
      if (part !== undefined) merged[key] = part;
    }
    return merged;
  }
  const [expected, accepts] =
    ofPath[path] ?? (/^allow/.test(path) ? allowance : (ofType[typeof present] as Kind));
  const usable = readings.find(accepts);
  if (usable === undefined) expect(expected, value);
  return usable;
}

/** What JSON begins with: a browser's first exception takes it more time than all else that is done with the options. */
const LIKE_JSON = /^([\s"[{\d-]|true|false|null)/;

/** The readings of an attribute's text: the JSON that it is, else the string that it is; of a bare one, `true` too. */
export function attributeReadings(text: string): unknown[] {
  return [LIKE_JSON.test(text) ? (jsonIn(text) ?? text) : text, text || true];
}
