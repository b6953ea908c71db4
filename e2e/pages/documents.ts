/** Writes the HTML of pages that embed the widget, in the three documented ways. Knows no browser. */

export type Embedding = 'queue' | 'data' | 'module' | 'none';

/** The texts of the tests' pages. They differ from the defaults, so that a visible text certainly comes from the page. */
export const TEXTS = {
  verifying: 'Checking the address …',
  invalid: 'No mail arrives there.',
  role: 'Please give a personal address.',
  free: 'Please give a work address.',
  disposable: 'Please give a lasting address.',
  didYouMean: 'Did you mean [EMAIL]?',
  rateLimited: 'Enough addresses for today.',
} as const;

export const PUBLIC_KEY = 'test_public_key';

/** An address that the service accepts, one that it rejects, and one for which it suggests another. */
export const JOE = 'joe@example.com';
export const NO = 'no@example.com';
export const MISSPELT = 'joe@gmial.com';
export const MEANT = 'joe@gmail.com';

/**
 * The option of a page whose request the service holds. A busy machine may need more than the widget's usual five seconds
 * until a test releases it, and by then the widget has given the request up. It also shows that a submission which goes
 * at once was not held.
 */
export const PATIENT = { options: { verificationTimeout: 600 } } as const;

/**
 * The same for a page in which a test types key by key, and then leaves the field or submits. On a busy machine, two keys
 * may be further apart than the widget waits for the next one, and it would verify a part of the address.
 */
export const UNHURRIED = { options: { ...PATIENT.options, verifyAfterDelay: 1_000_000 } } as const;

/** An ordinary form: the address, another field to go on to, a button. */
export const FORM = `
  <form id="form" name="contact" action="/submit" method="post">
    <p><label for="email">Email</label> <input id="email" name="email" type="email"></p>
    <p><label for="note">Note</label> <input id="note" name="note"></p>
    <p><button id="send" name="via" value="button">Send</button></p>
  </form>`;

/**
 * The target of the pages' forms: a frame, so that the page stays after a submission. A response with 204 would also keep
 * the page, but Playwright waits for the end of such a navigation.
 */
export const SINK = 'sink';

export interface DocumentParts {
  readonly body: string;
  readonly embed: Embedding;
  readonly options: Readonly<Record<string, unknown>>;
  readonly serviceOrigin: string;
  /** Script that runs before anything of the widget. */
  readonly before?: string;
  /** Script at the end of the body. */
  readonly after?: string;
  /** Anything else for the head. */
  readonly head?: string;
  /** Attributes of the root element. @default 'lang="en"' */
  readonly root?: string;
}

export const QUEUE_STUB =
  'window.emailVerify = window.emailVerify || function () { (emailVerify.q = emailVerify.q || []).push(arguments) };';

export function documentOf({
  body,
  embed,
  options,
  serviceOrigin,
  before,
  after,
  head,
  root = 'lang="en"',
}: DocumentParts): string {
  return `<!doctype html>
<html ${root}>
<head>
<meta charset="utf-8">
<title>A page</title>
<base target="${SINK}">
${before === undefined ? '' : `<script>${before}</script>`}
${head ?? ''}
${embedding(embed, options, serviceOrigin)}
</head>
<body>
<iframe name="${SINK}" hidden></iframe>
${body}
${after === undefined ? '' : `<script>${after}</script>`}</body></html>`;
}

function embedding(
  embed: Embedding,
  options: Readonly<Record<string, unknown>>,
  serviceOrigin: string,
): string {
  if (embed === 'none') return '';
  if (embed === 'module') {
    const all = inScript({ baseUrl: serviceOrigin, ...options });
    return `<script type="module">
      import { install } from '${serviceOrigin}/v2/index.js';
      window.widget = install(${all});
    </script>`;
  }
  if (embed === 'data')
    return `<script async src="${serviceOrigin}/v2/" ${dataAttributes(options)}></script>`;
  return `<script>${QUEUE_STUB} emailVerify(${inScript(options)});</script>
    <script async src="${serviceOrigin}/v2/"></script>`;
}

/** Options as `data-` attributes: kebab case, strings as they are, everything else as JSON. */
export function dataAttributes(options: Readonly<Record<string, unknown>>, prefix = 'data-'): string {
  return Object.entries(options)
    .map(([name, value]) => {
      const attribute = prefix + name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return `${attribute}="${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}"`;
    })
    .join(' ');
}

function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
