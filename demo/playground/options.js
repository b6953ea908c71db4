/**
 * Every option of the widget in one table: how it is shown, and what its control's text means. Knows no document: a
 * setting is a text under a path (`allow.free`), as a control holds it and as it stands in the address.
 */

/** The texts, by the keys of `messages`. Where `malformed` is empty, the browser's own sentence is shown. */
export const MESSAGES = {
  verifying: 'Checking this address…',
  invalid: 'This address does not seem to exist.',
  malformed: '',
  role: 'Please use your own address, not a shared one.',
  free: 'Please use a business address.',
  disposable: 'Please use a permanent address.',
  didYouMean: 'Did you mean [EMAIL]?',
  rateLimited: 'Please try again tomorrow.',
};

/** The languages that there are texts in, beside English. */
export const LANGUAGES = 'ar cs da de es fa fr he it ja ko nl pl pt ru sv tr uk zh'.split(' ');

/** The key that this page has, and no other. */
const DEMO_KEY = 'test_public_demo';

const allowance = (path, initial, says) => ({
  path,
  kind: 'choice',
  values: ['true', 'warn', 'false'],
  initial,
  says,
});

/**
 * @typedef {object} Setting
 * @property {string} path the option's name, and its key where it is an object
 * @property {'toggle' | 'choice' | 'several' | 'number' | 'text' | 'names' | 'colour' | 'language'} kind
 * @property {string} initial the text that stands for the default
 * @property {string} [says] what it does, in a line
 * @property {string[]} [values] what can be chosen
 * @property {{ max: number, step: number, unit: string }} [range] of a number's slider
 * @property {string[]} [suggestions] what there is in this page's form to be named
 */

/** @type {{ heading: string, id: string, note?: string, settings: Setting[] }[]} */
export const GROUPS = [
  {
    heading: 'Accepted addresses',
    id: 'accepted',
    settings: [
      {
        path: 'allow.states',
        kind: 'several',
        values: ['deliverable', 'risky', 'unknown', 'undeliverable'],
        initial: 'deliverable,risky,unknown',
        says: 'Other states are rejected.',
      },
      allowance('allow.free', 'true', 'Addresses of free providers.'),
      allowance('allow.role', 'true', 'Addresses like info@ or support@.'),
      allowance('allow.disposable', 'false', 'Addresses that exist only for a short time.'),
    ],
  },
  {
    heading: 'When to verify',
    id: 'when',
    settings: [
      {
        path: 'verifyOn',
        kind: 'choice',
        values: ['input', 'blur', 'submit'],
        initial: 'input',
        says: 'During typing, on leaving the field, or on submission.',
      },
      {
        path: 'verifyAfterDelay',
        kind: 'number',
        initial: '1000',
        range: { max: 3000, step: 100, unit: 'ms' },
        says: 'Milliseconds to wait after the last change.',
      },
      {
        path: 'verificationTimeout',
        kind: 'number',
        initial: '5',
        range: { max: 15, step: 1, unit: 's' },
        says: 'Seconds to wait for a verdict.',
      },
    ],
  },
  {
    heading: 'The form',
    id: 'form',
    settings: [
      {
        path: 'formValidation',
        kind: 'toggle',
        initial: 'true',
        says: 'Block a rejected address, and hold the form during a verification.',
      },
      {
        path: 'blockOnRateLimit',
        kind: 'toggle',
        initial: 'false',
        says: 'Block visitors who have verified ten addresses today.',
      },
      {
        path: 'resultField',
        kind: 'text',
        initial: '',
        says: 'Name of a hidden input that sends the result to your server.',
      },
      {
        path: 'proofField',
        kind: 'text',
        initial: '',
        says: 'Name of a hidden input that sends the signed proof of the result to your server.',
      },
      {
        path: 'debug',
        kind: 'toggle',
        initial: 'false',
        says: 'Log every decision in the browser’s console.',
      },
    ],
  },
  {
    heading: 'Inputs',
    id: 'inputs',
    note: 'The form’s name is sign-up. Its inputs are email and recovery.',
    settings: [
      {
        path: 'inputSelector',
        kind: 'text',
        initial: 'input[type=email]',
        suggestions: ['input', '[name=recovery]'],
        says: 'The inputs to verify.',
      },
      {
        path: 'ignoredForms',
        kind: 'names',
        initial: '',
        suggestions: ['sign-up'],
        says: 'Names, separated by commas.',
      },
      {
        path: 'ignoredInputs',
        kind: 'names',
        initial: '',
        suggestions: ['email', 'recovery'],
        says: 'Names, separated by commas.',
      },
    ],
  },
  {
    heading: 'Appearance',
    id: 'looks',
    settings: [
      {
        path: 'statusAppendTo',
        kind: 'text',
        initial: 'body',
        suggestions: ['body', '#status-slot'],
        says: 'In body the status floats. In #status-slot it is part of the form.',
      },
      {
        path: 'style.loadingIconColor',
        kind: 'colour',
        initial: 'light-dark(#0000004d, #fff6)',
        says: 'Any CSS colour, for the spinner.',
      },
    ],
  },
  {
    heading: 'Texts',
    id: 'texts',
    settings: [
      {
        path: 'locale',
        kind: 'language',
        values: ['en', 'auto', ...LANGUAGES],
        initial: 'en',
        says: 'The language of the texts below.',
      },
      ...Object.entries(MESSAGES).map(([key, initial]) => ({
        path: `messages.${key}`,
        kind: 'text',
        initial,
        ...(key === 'didYouMean' ? { says: '[EMAIL] becomes the suggestion.' } : {}),
      })),
    ],
  },
  {
    heading: 'The service',
    id: 'service',
    note: 'This page can call only its own origin, with its own test key.',
    settings: [
      { path: 'apiKey', kind: 'text', initial: DEMO_KEY, says: 'Without a key, the widget does not start.' },
      { path: 'baseUrl', kind: 'text', initial: '', says: 'The host of the service.' },
      {
        path: 'method',
        kind: 'choice',
        values: ['GET', 'POST'],
        initial: 'GET',
        says: 'POST keeps addresses out of access logs.',
      },
      {
        path: 'captcha',
        kind: 'text',
        initial: '',
        suggestions: ['[name=captcha-response]'],
        says: 'Selector of an element whose value is the token.',
      },
    ],
  },
];

/** @type {Map<string, Setting>} */
export const SETTINGS = new Map(
  GROUPS.flatMap(({ settings }) => settings).map((setting) => [setting.path, setting]),
);

/** What the options begin as, with the service that serves the script as `baseUrl`. */
export function initialTexts(serviceUrl) {
  const texts = Object.fromEntries([...SETTINGS].map(([path, { initial }]) => [path, initial]));
  return { ...texts, baseUrl: serviceUrl };
}

/** What an author would write for the text in a control. A text that means nothing is given as it is, and warned of. */
export function readText({ kind }, text) {
  if ((kind === 'toggle' || kind === 'choice') && /^(true|false)$/.test(text)) return text === 'true';
  if (kind === 'several' || kind === 'names') {
    return text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }
  if (kind === 'number' && text.trim() !== '' && !Number.isNaN(Number(text))) return Number(text);
  return text;
}

/**
 * @param {Record<string, string>} texts by path: those that differ from what they begin as
 * @returns {Record<string, unknown>} the options as an author would write them
 */
export function optionsOf(texts) {
  const options = {};
  for (const [path, setting] of SETTINGS) {
    if (!Object.hasOwn(texts, path)) continue;
    const [name, key] = path.split('.');
    const value = readText(setting, texts[path]);
    if (!key) options[name] = value;
    else options[name] = { ...options[name], [key]: value };
  }
  return options;
}

/**
 * Whether there is any use in a value, as far as it depends on what can be typed here. Where it does not, it warns and
 * leaves the option as it was; in a page that has just been opened that is the default.
 *
 * @param {string} name of an option, or the path of a setting
 */
export function isUsable(name, value) {
  if (name === 'verifyAfterDelay' || name === 'verificationTimeout') {
    return typeof value === 'number' && value >= 0 && value <= 2e6;
  }
  // As the service takes it.
  if (name === 'simulate.latency') return typeof value === 'number' && value >= 0 && value <= 30_000;
  if (name === 'inputSelector' || name === 'statusAppendTo') return isSelector(value);
  if (name === 'captcha') return value === '' || typeof value === 'function' || isSelector(value);
  if (name === 'baseUrl') return /^(https?:\/)?\/[^\s?#]+$/.test(value);
  if (name === 'apiKey') return value !== '';
  // The widget takes any text for a colour, and the browser only what is one.
  if (name === 'style.loadingIconColor') return CSS.supports('color', value);
  return true;
}

function isSelector(text) {
  try {
    document.createDocumentFragment().querySelector(text);
    return true;
  } catch {
    return false;
  }
}
