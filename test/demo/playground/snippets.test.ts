// @vitest-environment happy-dom
/** What the playground gives to be copied: right in a page, right in a bundle, whatever has been set. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';
import { attributeReadings, DEFAULTS, readOption } from '../../../src/widget/options.ts';
import { inLong } from '../../in-long.ts';
import { importDemo } from './modules.ts';

const { optionsOf } = await importDemo('playground/options.js');
const { SNIPPETS, asTag, asQueue } = await importDemo('playground/snippets.js');

const ORIGIN = 'https://api.example';
const AWKWARD = `It's "5 < 6" & \\ </script> <!-- [EMAIL] &amp; \${1}`;

/** Settings as they are typed, and the language beside them. */
const CASES: Record<string, [texts: Record<string, string>, locale: string]> = {
  'nothing but a key': [{}, 'en'],
  'every option': [
    {
      'allow.states': 'deliverable',
      'allow.free': 'warn',
      'allow.role': 'false',
      'allow.disposable': 'true',
      verifyOn: 'blur',
      verifyAfterDelay: '250',
      verificationTimeout: '7.5',
      formValidation: 'false',
      blockOnRateLimit: 'true',
      resultField: 'verification',
      proofField: 'proof',
      debug: 'true',
      inputSelector: '[data-verify="yes"]',
      ignoredForms: 'a, b',
      ignoredInputs: "it's",
      statusAppendTo: '#status',
      'style.loadingIconColor': '#ff0000',
      'messages.invalid': 'No.',
      baseUrl: 'https://other.example/api',
      method: 'POST',
      captcha: '#token',
    },
    'de',
  ],
  'awkward texts': [
    {
      'messages.invalid': AWKWARD,
      'messages.free': AWKWARD,
      resultField: AWKWARD,
      inputSelector: '[a="</script>"]',
    },
    'auto',
  ],
  'a string that would be read as JSON': [
    { resultField: '"a"', captcha: 'null', statusAppendTo: 'true' },
    'en',
  ],
  'lists of nothing': [{ 'allow.states': '', ignoredForms: ' , ' }, 'en'],
};

const optionsFor = (texts: Record<string, string>) => ({ apiKey: 'test_public_demo', ...optionsOf(texts) });

/** As the widget takes options: checked, and merged over the defaults. */
const taken = (given: Record<string, unknown[]>) =>
  Object.fromEntries(
    Object.entries(given).map(([name, readings]) => [
      name,
      readOption(name, readings, DEFAULTS, (warning) => {
        throw new Error(warning);
      }),
    ]),
  );

const inLists = (options: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, [value]]));

/** As a browser reads it, up to what it does with a script. */
const scriptsIn = (html: string) => [
  ...new DOMParser().parseFromString(html, 'text/html').querySelectorAll('script'),
];

it.each(Object.entries(CASES))('as one tag: %s', (_name, [texts, locale]) => {
  const options = optionsFor(texts);
  const [script, ...others] = scriptsIn(asTag(options, locale, ORIGIN));
  expect(script!.getAttribute('src')).toBe(`${ORIGIN}/v2/`);
  const attributes = Object.entries({ ...script!.dataset }).map(([name, text]) => [
    name,
    attributeReadings(text!),
  ]);
  expect(taken(Object.fromEntries(attributes))).toEqual(taken(inLists(options)));
  expect(others.map((other) => other.getAttribute('src'))).toEqual(localeScripts(locale));
});

it.each(Object.entries(CASES))('as a queue: %s', (_name, [texts, locale]) => {
  const options = optionsFor(texts);
  const [inline, script, ...others] = scriptsIn(asQueue(options, locale, ORIGIN));
  const scope: { emailVerify?: { q: unknown[][] } } = {};
  new Function('window', `with (window) {${inline!.textContent}}`)(scope);
  const calls = scope.emailVerify!.q.map(([name, value]) => [name, [value]]);
  expect(taken(Object.fromEntries(calls))).toEqual(taken(inLists(options)));
  expect(script!.getAttribute('src')).toBe(`${ORIGIN}/v2/`);
  expect(others.map((other) => other.getAttribute('src'))).toEqual(localeScripts(locale));
});

const localeScripts = (locale: string) => (locale === 'en' ? [] : [`${ORIGIN}/v2/locales/${locale}.js`]);

inLong('writes code for a bundle that compiles', () => {
  const folder = resolve('test-results/snippets');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [at, [texts, locale]] of Object.values(CASES).entries()) {
    for (const kind of ['module', 'react', 'vue']) {
      const { write } = SNIPPETS.find(({ value }: { value: string }) => value === kind);
      const code = write(optionsFor(texts), locale, ORIGIN);
      const source = kind === 'vue' ? compiledVue(code) : code;
      writeFileSync(`${folder}/${kind}-${at}.${kind === 'react' ? 'tsx' : 'ts'}`, source);
    }
  }
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        // An author's own settings, which need not be as strict.
        noUnusedLocals: false,
        noUnusedParameters: false,
        paths: Object.fromEntries(
          [
            ['email-verify-widget', 'src/widget/index.ts'],
            ['email-verify-widget/react', 'src/frameworks/react.ts'],
            ['email-verify-widget/vue', 'src/frameworks/vue.ts'],
            ['email-verify-widget/locales/*', 'src/locales/*.ts'],
          ].map(([name, path]) => [name, [resolve(path!)]]),
        ),
      },
      // The sources import a style sheet as its text.
      include: ['*', resolve('src/widget/css.d.ts')],
    }),
  );
  const { stdout, status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], {
    encoding: 'utf8',
  });
  expect([stdout, status]).toEqual(['', 0]);
});

/** A component's script with its template in it, as TypeScript. */
function compiledVue(code: string): string {
  const { descriptor, errors } = parse(code);
  expect(errors).toEqual([]);
  return compileScript(descriptor, { id: 'a', inlineTemplate: true }).content;
}
