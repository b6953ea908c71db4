/** The candidates: the widget, its peers and the floor. Pages embed each as its own documentation says. */
import { readFileSync } from 'node:fs';
import { buildSync, transformSync } from 'esbuild';
import { toolFile } from '../../../.ci/tools/tools.mjs';

export interface Candidate {
  readonly name: string;
  /** The name with the version, for tables. */
  readonly title: string;
  /** The script, as a page would load it. */
  readonly script: string;
  /** What the script loads later, by its path beside the script. */
  readonly later?: Readonly<Record<string, string>>;
  /** Attributes of its script tag. */
  readonly attributes?: string;
  /** A script of the page before it. */
  readonly setup?: string;
  /** The markup that it needs around an input. */
  readonly around?: readonly [before: string, after: string];
  /** The default delay between the last key and the request. `undefined` if it sends no requests. */
  readonly delayMs?: number;
  /** The event that it fires after a verdict. It bubbles. */
  readonly settled?: string;
  /** An expression that removes it from the page, if there is one. */
  readonly teardown?: string;
}

const API = 'https://api.test';
const KEY = 'test_public_bench';

const read = (path: string) => readFileSync(path, 'utf8');
const versionOf = (name: string) =>
  (JSON.parse(read(toolFile(`${name}/package.json`))) as { version: string }).version;
const minify = (source: string) => transformSync(source, { minify: true }).code;

const widget: Candidate = {
  name: 'widget',
  title: 'the widget',
  script: read('dist/widget.js'),
  later: { '/email-verify-widget-status.js': read('dist/email-verify-widget-status.js') },
  // The same delay as the others, for a fair comparison.
  attributes: `data-api-key="${KEY}" data-base-url="${API}" data-verify-after-delay="500"`,
  delayMs: 500,
  settled: 'verified',
  teardown: `emailVerify('destroy')`,
};

const verifalia: Candidate = {
  name: 'verifalia-widget',
  title: `verifalia-widget ${versionOf('verifalia-widget')}`,
  script: read(toolFile('verifalia-widget/dist/verifalia-widget.js')),
  setup: `VerifaliaWidgetConfig = { appKey: '${KEY}' };`,
  delayMs: 500,
  settled: 'verifalia-widget:field-validation-completed',
};

/** Its package contains modules, which a page's bundler makes into one small script. */
const autoCheck: Candidate = {
  name: 'auto-check-element',
  title: `auto-check-element ${versionOf('@github/auto-check-element')}`,
  script: buildSync({
    stdin: { contents: `import '@github/auto-check-element';`, resolveDir: '.ci/tools' },
    bundle: true,
    minify: true,
    format: 'iife',
    write: false,
  }).outputFiles[0]!.text,
  around: [
    `<auto-check src="${API}/check" http-method="GET" required validate-on-keystroke>`,
    '</auto-check>',
  ],
  delayMs: 300,
  settled: 'auto-check-complete',
};

const mailcheck: Candidate = {
  name: 'mailcheck',
  title: `mailcheck ${versionOf('mailcheck')}`,
  script: `${read(toolFile('mailcheck/src/mailcheck.min.js'))};${minify(read('bench/widget/candidates/mailcheck-snippet.js'))}`,
};

const floor: Candidate = {
  name: 'floor',
  title: 'the floor (by hand)',
  script: minify(read('bench/widget/candidates/floor.js')),
  delayMs: 500,
  settled: 'checked',
};

/** A page without a candidate. */
const nothing: Candidate = { name: 'nothing', title: 'nothing', script: '' };

/** What a page pays for being looked at four times a second, however little a look does. */
const timer: Candidate = {
  name: 'timer',
  title: 'a timer of 250 ms that does nothing',
  script: 'setInterval(() => {}, 250);',
};

export const CANDIDATES = { widget, verifalia, autoCheck, mailcheck, floor, timer, nothing } as const;

/** In the order of the tables. */
export const COMPARED: readonly Candidate[] = [widget, verifalia, autoCheck, mailcheck, floor];

/** The candidates that send requests to a service. */
export const ASKING = COMPARED.filter(({ delayMs }) => delayMs !== undefined);
