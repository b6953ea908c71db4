/**
 * All options: their types, their defaults, and the values that they allow. This file checks and merges values. Other
 * files read them from the script tag, calls and attributes, and act on them.
 */

import { bare } from '../protocol/bare.ts';
import { jsonIn } from '../protocol/json.ts';
import { type Allow, DEFAULT_ALLOW } from '../protocol/policy.ts';
import { STATES, type State } from '../protocol/result.ts';
import { isText } from '../protocol/text.ts';
import type { Messages } from './check/policy.ts';
import { create, matches } from './prototypes.ts';

/** The look of the status element. Custom properties and parts style the rest. */
export interface Style {
  /** Colour of the spinner, as a CSS colour. @default a translucent black, or white on dark pages */
  loadingIconColor: string;
}

/**
 * The source of `captcha_response`: a function that the widget calls before each request, or the CSS selector of an
 * element whose value is the token. The function may return a promise.
 */
export type Captcha =
  | string
  | (((input: HTMLInputElement) => string | PromiseLike<string>) & {
      /** Removes a challenge from the page. The widget calls it in `destroy()`. */
      cancel?: (() => void) | undefined;
    });

/** All options of the widget. Only `apiKey` has no default. */
export interface Options {
  /** Required: a public key of the service. The widget starts when it is set. */
  apiKey: string;
  /** Which addresses are accepted. Merged key by key with the default. */
  allow: Allow;
  /**
   * Seconds to wait for a verdict. Each request also sends it as `timeout`, rounded down and limited to 2–10.
   *
   * @default 5
   */
  verificationTimeout: number;
  /**
   * Milliseconds to wait after the last change. The widget does not wait when the visitor leaves the field, presses
   * Enter or submits.
   *
   * @default 1000
   */
  verifyAfterDelay: number;
  /**
   * Blocks forms with a rejected address, and holds them during a verification. Removes `novalidate` from them.
   *
   * @default true
   */
  formValidation: boolean;
  /** CSS selector of the inputs to verify. @default 'input[type=email]' */
  inputSelector: string;
  /** Names of forms to ignore. @default [] */
  ignoredForms: string[];
  /** Names of inputs to ignore. @default [] */
  ignoredInputs: string[];
  /** Blocks visitors who have reached the daily limit (429), with `messages.rateLimited`. @default false */
  blockOnRateLimit: boolean;
  /**
   * The parent of the status element: an element, or a CSS selector that is looked up in the input's form, then in the
   * document. In `body`, or if nothing matches, the status floats next to the input.
   *
   * @default 'body'
   */
  statusAppendTo: string | Element;
  /** The look of the status element. Merged key by key with the default. */
  style: Style;
  /** Texts for the visitor. Merged key by key with the texts of `locale`. */
  messages: Messages;
  /** Texts in the page's language, from `email-verify-widget/locales/…`. `messages` overrides them. @default English */
  locale: Messages;
  /** URL of the service. The widget appends `/v1/verify`. @default the origin that the script was loaded from */
  baseUrl: string;
  /**
   * Gives the captcha token that the service expects with each request. While it returns an empty text, the widget
   * calls it again. If it throws, or gives no token within `verificationTimeout`, the input gets an `error` event. The
   * visitor can then submit the form.
   *
   * @default '' (no captcha)
   */
  captcha: Captcha;
  /** The HTTP method. `POST` keeps addresses out of URLs and access logs. @default 'GET' */
  method: 'GET' | 'POST';
  /**
   * When an address is verified. `'input'`: after `verifyAfterDelay`, or when the visitor leaves the field. `'blur'`:
   * only when the visitor leaves the field, presses Enter or submits. `'submit'`: only when the visitor submits.
   *
   * @default 'input'
   */
  verifyOn: 'input' | 'blur' | 'submit';
  /** Name of a hidden input that submits the result as JSON; `''` for none. @default '' */
  resultField: string;
  /** Name of a hidden input that submits the service's signed proof of the result; `''` for none. @default '' */
  proofField: string;
  /** Logs every decision and its reason in the console, with the visitor's addresses. @default false */
  debug: boolean;
}

/** Any part of an object. `undefined` counts as not given, also under `exactOptionalPropertyTypes`. */
export type Given<Whole> = { [Name in keyof Whole]?: Whole[Name] | undefined };

/** Options as a page sets them: any of the options, and any part of `allow`, `messages`, `style` and `locale`. */
export type GivenOptions = Given<Omit<Options, 'allow' | 'messages' | 'style' | 'locale'>> & {
  /** Which addresses are accepted. Keys that are not given keep their default. */
  allow?: Given<Allow> | undefined;
  /** Texts for the visitor. Keys that are not given keep the text of `locale`. */
  messages?: Given<Messages> | undefined;
  /** The look of the status element. */
  style?: Given<Style> | undefined;
  /** Texts in the page's language. `messages` overrides them. */
  locale?: Given<Messages> | undefined;
};

/** The defaults. That of `baseUrl` depends on the URL of the script, so `createWidget` sets it. */
export const DEFAULTS: Options = {
  apiKey: '',
  allow: DEFAULT_ALLOW,
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
  proofField: '',
  debug: false,
};
DEFAULTS.locale = DEFAULTS.messages;

/** The values that an option allows: the words after "Expected" in a warning, and the check. */
type Kind = readonly [expected: string, accepts: (value: unknown) => boolean];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSelector = (value: unknown) => isText(value) && matches(create('i'), value) !== undefined;
// The debug file uses only the defaults. These annotations keep the tables out of it.
const listOf = /* @__NO_SIDE_EFFECTS__ */ (item: string, accepts: (value: unknown) => boolean): Kind => [
  `a list of ${item}`,
  (value) => Array.isArray(value) && value.every(accepts),
];
const oneOf = /* @__NO_SIDE_EFFECTS__ */ (...values: unknown[]): Kind => [
  values.map(shown).join(' or '),
  (value) => values.includes(value),
];
/** Allowed values by option, for those that do not take every value of their default's type; then by type. */
const createKinds = () =>
  [
    bare({
      'allow.states': listOf(STATES.join(', '), (item) => STATES.includes(item as State)),
      inputSelector: ['a CSS selector', isSelector],
      statusAppendTo: [
        'an element or a CSS selector',
        (value) => isSelector(value) || (value as Node | null)?.nodeType === 1,
      ],
      baseUrl: ['a URL', (value) => isText(value) && /^(https?:\/)?\/[^\s?#]+$/.test(value)],
      captcha: [
        'a function or a CSS selector',
        (value) => typeof value === 'function' || value === '' || isSelector(value),
      ],
      verifyOn: oneOf('input', 'blur', 'submit'),
      method: oneOf('GET', 'POST'),
    } as { readonly [path: string]: Kind }),
    {
      boolean: oneOf(true, false),
      string: ['a string', isText],
      // Timers overflow above 2 ** 31 ms.
      number: [
        'a number from 0 to 2000000',
        (value) => typeof value === 'number' && value >= 0 && value <= 2e6,
      ],
      object: listOf('names', isText),
    } as { readonly [type: string]: Kind },
    oneOf(true, false, 'warn'),
  ] as const;

/** Made when the first option is checked, so that it takes no time while the script loads. */
let kinds: ReturnType<typeof createKinds> | undefined;

/** Options that a form or an input can override with an attribute: `data-email-verify-` and the name in kebab case. */
export const OVERRIDES = [
  'allow',
  'messages',
  'style',
  'verifyAfterDelay',
  'verifyOn',
  'formValidation',
  'statusAppendTo',
] as const satisfies readonly (keyof Options)[];

/** Shows a wrong value in a warning. It calls no method of the value, because that could throw. */
function shown(value: unknown): string {
  if (isText(value)) return `"${value}"`;
  return Object(value) === value ? typeof value : String(value);
}

/**
 * Checks the value of one option. If the option is an object, merges it with `base`. Warns of wrong parts and takes the
 * rest.
 *
 * @param readings ways to read the same value, best first: an attribute is JSON, or else a string
 * @param base the options without this value
 * @returns the new value, or `undefined` if no reading is allowed
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
  // Bundlers replace a missing environment variable by `undefined`: the page has not set this option.
  if (value === undefined) return undefined;
  if (!Object.keys(base).includes(name)) return expect(`one of ${Object.keys(base).join(', ')}`, name);

  kinds ??= createKinds();
  const [ofPath, ofType, allowance] = kinds;
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
  return readings.find(accepts) ?? expect(expected, value);
}

/** Ways to read an attribute: as JSON, as a string and, if it is empty, as `true`. */
export function attributeReadings(text: string): unknown[] {
  // The first characters of JSON. Other text is not parsed: the first exception costs more time than all other checks.
  return [/^([\s"[{\d-]|true|false)/.test(text) ? (jsonIn(text) ?? text) : text, text || true];
}
