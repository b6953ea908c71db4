/** Writes the widget's script tag, with a few options as attributes. The docs and the playground have all options. */
import type { CaptchaProvider } from '../../captcha/captcha-providers.ts';

/** An option on the page. The first choice is the widget's default and writes no attribute. */
export interface Option {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
}

/** The languages of `src/locales/`. */
export const LANGUAGES = 'ar cs da de es fa fr he it ja ko nl pl pt ru sv tr uk zh'.split(' ');

const languageName = (language: string): string =>
  new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;

/** The values of `allow.states`. States that are not listed are rejected. */
const STATES = {
  all: ['deliverable', 'risky', 'unknown'],
  risky: ['deliverable', 'risky'],
  unknown: ['deliverable', 'unknown'],
  deliverable: ['deliverable'],
} as const;

const ACCEPT = ['true', 'Accept'] as const;
const HINT = ['warn', 'Accept, with a hint'] as const;
const REJECT = ['false', 'Reject'] as const;

export const OPTIONS: readonly Option[] = [
  {
    name: 'states',
    label: 'Risky and unknown addresses',
    choices: [
      ['all', 'Accept both'],
      ['risky', 'Reject unknown'],
      ['unknown', 'Reject risky'],
      ['deliverable', 'Reject both'],
    ],
  },
  { name: 'role', label: 'Role addresses, such as info@', choices: [ACCEPT, HINT, REJECT] },
  { name: 'free', label: 'Addresses of free providers', choices: [ACCEPT, HINT, REJECT] },
  { name: 'disposable', label: 'Disposable addresses', choices: [REJECT, HINT, ACCEPT] },
  {
    name: 'verifyOn',
    label: 'When to verify',
    choices: [
      ['input', 'While typing'],
      ['blur', 'On leaving the field'],
      ['submit', 'On submitting the form'],
    ],
  },
  {
    name: 'locale',
    label: 'Language of the messages',
    choices: [
      ['en', 'English'],
      ['auto', 'Same as the page'],
      ...LANGUAGES.map((language) => [language, languageName(language)] as const),
    ],
  },
  {
    name: 'method',
    label: 'Send addresses in',
    choices: [
      ['GET', 'the URL (GET)'],
      ['POST', 'the body, out of access logs (POST)'],
    ],
  },
];

/** The chosen values by option name. Missing options have their defaults. */
export type Chosen = ReadonlyMap<string, string>;

export const chosenIn = (option: Option, chosen: Chosen): string =>
  chosen.get(option.name) ?? option.choices[0]![0];

/** @returns the valid values. Other values count as not chosen. */
export function readChosen(choiceOf: (name: string) => unknown): Chosen {
  return new Map(
    OPTIONS.flatMap(({ name, choices }) => {
      const index = choices.findIndex(([value]) => value === choiceOf(name));
      return index > 0 ? [[name, choices[index]![0]] as const] : [];
    }),
  );
}

/** The helper of each captcha, next to the widget (docs/captchas.md). */
const HELPERS = { turnstile: 'turnstile', hcaptcha: 'hcaptcha', recaptcha: 'recaptcha-v3' } as const;

export interface Snippet {
  /** The URL of the service, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  readonly captcha: CaptchaProvider | null;
  readonly chosen: Chosen;
}

export function writeSnippet({ url, key, captcha, chosen }: Snippet): string {
  const attributes = Object.entries({
    'data-api-key': key,
    // The widget's default is the origin of the script, without a path.
    ...(new URL(url).pathname !== '/' && { 'data-base-url': url }),
    ...attributesOf(chosen),
  });
  // Scripts with `defer` run in the order of the page: the helper first.
  const timing = captcha ? 'defer' : 'async';
  const tag = `<script ${timing} src="${url}/v2/"${attributes.map(([name, value]) => `\n  ${name}=${quote(value)}`).join('')}></script>`;
  const helper =
    captcha &&
    `<script defer src="${url}/v2/captcha/${HELPERS[captcha]}.js" data-sitekey="YOUR-SITE-KEY"></script>`;
  const locale = chosen.get('locale');
  const texts = locale && `<script async src="${url}/v2/locales/${locale}.js"></script>`;
  return [helper, tag, texts].filter(Boolean).join('\n');
}

/** All values come from the tables above or are keys, so they have no apostrophes. */
const quote = (value: string): string => (value.includes('"') ? `'${value}'` : `"${value}"`);

function attributesOf(chosen: Chosen): Record<string, string> {
  const states = chosen.get('states') as keyof typeof STATES | undefined;
  const kinds = ['role', 'free', 'disposable'].flatMap((kind) => {
    const value = chosen.get(kind);
    return value === undefined ? [] : [[kind, value === 'warn' ? value : value === 'true'] as const];
  });
  const allow = { ...(states && { states: STATES[states] }), ...Object.fromEntries(kinds) };
  return {
    ...(Object.keys(allow).length > 0 && { 'data-allow': JSON.stringify(allow) }),
    ...(chosen.has('verifyOn') && { 'data-verify-on': chosen.get('verifyOn')! }),
    ...(chosen.has('method') && { 'data-method': chosen.get('method')! }),
  };
}

/** The same settings as the hash of the playground's URL. */
export function playgroundHash(chosen: Chosen, more: Readonly<Record<string, string>>): string {
  const settings = [...chosen].map(([name, value]): [string, string] => {
    if (name === 'states') return ['allow.states', STATES[value as keyof typeof STATES].join(',')];
    return [/^(role|free|disposable)$/.test(name) ? `allow.${name}` : name, value];
  });
  const text = new URLSearchParams([...settings, ...Object.entries(more)]).toString();
  return text && `#${text}`;
}
