// @vitest-environment happy-dom
/** The playground's settings: every option is one, begins as the widget's default, and goes through the address. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULTS, readOption } from '../../../src/widget/options.ts';
import { importDemo } from './modules.ts';

const { SETTINGS, LANGUAGES, initialTexts, isUsable, optionsOf } = await importDemo('playground/options.js');
const { fromHash, toHash } = await importDemo('playground/address.js');
const { simulatedStatus } = await importDemo('playground/simulations.js');

const ORIGIN = 'https://api.example';

it('has a control for every option, which begins as its default', () => {
  const { apiKey, baseUrl, locale, ...options } = optionsOf(initialTexts(ORIGIN));
  expect([apiKey, baseUrl, locale]).toEqual(['test_public_demo', ORIGIN, 'en']);
  const { apiKey: _, baseUrl: __, locale: ___, ...defaults } = DEFAULTS;
  expect(options).toEqual(defaults);
});

it('has a choice for every language', () => {
  const files = readdirSync('src/locales').filter((name) => /^[a-z]{2,3}\.ts$/.test(name));
  expect(LANGUAGES).toEqual(files.map((name) => name.replace('.ts', '')));
});

it.each([
  ['verifyAfterDelay', ['0', '500', '2e6', '1.5', '-1', '', ' ', 'soon', '2000001', 'Infinity']],
  ['verificationTimeout', ['3', 'long']],
  ['inputSelector', ['[name=a]', '', 'a[', '::before::', ':has(b)']],
  ['statusAppendTo', ['#a', '#', 'body']],
  ['captcha', ['', '#token', '#']],
  ['baseUrl', ['https://api.example', '/api', 'api.example', 'ftp://a.example', '', 'https://a b']],
  ['ignoredForms', ['', 'a', 'a, b ,']],
  ['method', ['GET', 'POST']],
])('calls what is typed for %s usable when the widget takes it', (name, texts) => {
  for (const text of texts) {
    const value = optionsOf({ [name]: text })[name];
    const taken = readOption(name, [value], DEFAULTS, () => {}) !== undefined;
    expect([text, isUsable(name, value)]).toEqual([text, taken]);
  }
});

it.each([
  [{}, ''],
  [{ 'allow.free': 'warn', verifyAfterDelay: '500' }, '#allow.free=warn&verifyAfterDelay=500'],
  [
    { inputSelector: 'input[type=email], #a > b', baseUrl: 'https://a.example/b' },
    '#inputSelector=input[type=email],+%23a+%3E+b&baseUrl=https://a.example/b',
  ],
  [{ 'messages.invalid': 'Größe & 50 % + 1?', ignoredForms: '' }, undefined],
  [{ 'allow.states': '' }, '#allow.states='],
])('keeps %o in the URL', (texts, hash) => {
  if (hash !== undefined) expect(toHash(texts)).toBe(hash);
  expect(fromHash(toHash(texts), SETTINGS)).toEqual({ texts, complaints: [] });
});

it('reports nonsense in the URL, and takes everything else', () => {
  const { texts, complaints } = fromHash(
    `#allow.free=perhaps&verifyAfterDelay=soon&nothing=1&formValidation=no&%zz&allow.states=risky,good&method=POST&__proto__=1&${'x'.repeat(99)}=1`,
    SETTINGS,
  );
  // What is typed freely is the widget's to judge.
  expect(texts).toEqual({ verifyAfterDelay: 'soon', method: 'POST' });
  expect(complaints).toEqual([
    'allow.free: Expected one of true, warn, false, got “perhaps”.',
    'Expected the name of a setting, got “nothing”.',
    'formValidation: Expected one of true, false, got “no”.',
    'Expected the name of a setting, got “%zz”.',
    'allow.states: Expected some of deliverable, risky, unknown, undeliverable, got “good”.',
    'Expected the name of a setting, got “__proto__”.',
    `Expected the name of a setting, got “${'x'.repeat(40)}…”.`,
  ]);
});

it.each([
  ['none', 'none', '0', undefined],
  ['try-again-once', 'none', '0', undefined],
  ['server-error', 'none', '0', 500],
  ['offline', 'none', '0', 0],
  ['nonsense', 'none', '0', 200],
  ['none', 'itself', '0', undefined],
  ['none', 'refused', '0', 403],
  ['server-error', 'refused', '0', 500],
  ['rate-limit', 'never', '0', 0],
  ['none', 'none', '4999', undefined],
  ['none', 'none', '5000', 0],
  ['server-error', 'none', '6000', 0],
  ['none', 'none', 'long', undefined],
])('turns answer %s, captcha %s and latency %s into status %s', (answer, captcha, latency, status) => {
  const simulated = { 'simulate.answer': answer, 'simulate.captcha': captcha, 'simulate.latency': latency };
  expect(simulatedStatus({ ...initialTexts(ORIGIN), ...simulated })).toBe(status);
});
