// @vitest-environment happy-dom
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { attributeReadings, DEFAULTS, readOption } from '../../src/widget/options.ts';

/** Reads one option, and tells what was warned of. */
function read(name: string, readings: unknown[], base: object = DEFAULTS) {
  const warnings: string[] = [];
  const value = readOption(name, readings, base, (message) => {
    warnings.push(message);
  });
  return { value, warnings };
}

const give = (name: string, value: unknown, base?: object) => read(name, [value], base);
/** As in the script tag or on a form: text. */
const attribute = (name: string, text: string, base?: object) => read(name, attributeReadings(text), base);

const AN_ELEMENT = { nodeType: 1, nodeName: 'DIV' };
const A_FUNCTION = () => 'token';

it('has the documented defaults', () => {
  expect(DEFAULTS).toMatchObject({
    allow: { states: ['deliverable', 'risky', 'unknown'], free: true, role: true, disposable: false },
    verificationTimeout: 5,
    verifyAfterDelay: 1000,
    formValidation: true,
    inputSelector: 'input[type=email]',
    ignoredForms: [],
    ignoredInputs: [],
    blockOnRateLimit: false,
    statusAppendTo: 'body',
    method: 'GET',
    verifyOn: 'input',
    resultField: '',
    proofField: '',
  });
  expect(DEFAULTS.captcha).toBeFalsy();
  expect(DEFAULTS.apiKey).toBeFalsy();
});

it('keeps a part that is given as undefined, without a warning', () => {
  const base = { ...DEFAULTS, allow: { ...DEFAULTS.allow, free: 'warn' } };
  const { value, warnings } = give('allow', { free: undefined, states: undefined, role: false }, base);
  expect(value).toEqual({ ...base.allow, role: false });
  expect(give('messages', { invalid: undefined }).value).toEqual(DEFAULTS.messages);
  expect(warnings).toEqual([]);
});

it('has a default for every text except malformed', () => {
  const { malformed, ...said } = DEFAULTS.messages;
  expect(Object.keys(said).sort()).toEqual(
    ['verifying', 'invalid', 'role', 'free', 'disposable', 'didYouMean', 'rateLimited'].sort(),
  );
  for (const message of Object.values(said)) expect(message).toMatch(/\S/);
  // The browser says that itself, in the visitor's language.
  expect(malformed).toBe('');
  expect(DEFAULTS.messages.didYouMean).toContain('[EMAIL]');
});

it('has a translucent black spinner by default', () => {
  expect(DEFAULTS.style.loadingIconColor).toMatch(/#000000[1-9a-e]\w\b/);
});

describe('takes', () => {
  it.each<[string, unknown[]]>([
    ['apiKey', ['test_public', '']],
    ['verificationTimeout', [0, 5, 2.5, 60, 2_000_000]],
    ['verifyAfterDelay', [0, 1, 1000, 0.5]],
    ['formValidation', [true, false]],
    ['inputSelector', ['input[name=mail]', 'form.a input, .b']],
    ['ignoredForms', [[], ['login'], ['login', 'search']]],
    ['ignoredInputs', [[], ['cc']]],
    ['blockOnRateLimit', [true, false]],
    ['statusAppendTo', ['body', '.status', AN_ELEMENT]],
    [
      'baseUrl',
      [
        'https://api.example',
        'http://localhost:8080/',
        'https://shop.example/proxy',
        '//api.example',
        '/api',
      ],
    ],
    ['captcha', ['', '#token', A_FUNCTION]],
    ['method', ['GET', 'POST']],
    ['verifyOn', ['input', 'blur', 'submit']],
    ['resultField', ['', 'email_verification']],
    ['proofField', ['', 'proof']],
  ])('%s', (name, values) => {
    for (const value of values) expect(give(name, value)).toEqual({ value, warnings: [] });
  });

  it('allow.states', () => {
    for (const states of [[], ['deliverable'], ['deliverable', 'undeliverable', 'risky', 'unknown']]) {
      expect(give('allow', { states })).toMatchObject({ value: { states }, warnings: [] });
    }
  });

  it.each(['free', 'role', 'disposable'])('allow.%s', (name) => {
    for (const allowance of [true, false, 'warn']) {
      expect(give('allow', { [name]: allowance })).toMatchObject({
        value: { [name]: allowance },
        warnings: [],
      });
    }
  });

  it.each(Object.keys(DEFAULTS.messages))('messages.%s', (name) => {
    for (const text of ['', 'Words <b>']) {
      expect(give('messages', { [name]: text })).toMatchObject({ value: { [name]: text }, warnings: [] });
    }
  });

  it('style.loadingIconColor', () => {
    expect(give('style', { loadingIconColor: 'red' })).toMatchObject({
      value: { loadingIconColor: 'red' },
      warnings: [],
    });
  });
});

describe('refuses with one message that names the option, the value and what is expected:', () => {
  // How a list, an object or a function reads in the message is left open.
  it.each<[option: string, given: unknown, got: string, expected: string]>([
    ['apiKey', 42, '42', 'a string'],
    ['apiKey', null, 'null', 'a string'],
    ['apiKey', ['test_public'], '', 'a string'],
    ['verificationTimeout', '5', '"5"', 'a number'],
    ['verificationTimeout', -1, '-1', 'a number from 0'],
    ['verificationTimeout', Number.NaN, 'NaN', 'a number'],
    ['verificationTimeout', Number.POSITIVE_INFINITY, 'Infinity', 'a number'],
    ['verifyAfterDelay', '1s', '"1s"', 'a number'],
    ['verifyAfterDelay', -0.1, '-0.1', 'a number from 0'],
    ['verifyAfterDelay', 10n, '10', 'a number'],
    ['verifyAfterDelay', true, 'true', 'a number'],
    ['formValidation', 'yes', '"yes"', 'true or false'],
    ['formValidation', 0, '0', 'true or false'],
    ['blockOnRateLimit', 'true', '"true"', 'true or false'],
    ['inputSelector', 'input[!!', '"input[!!"', 'a CSS selector'],
    ['inputSelector', '', '""', 'a CSS selector'],
    ['inputSelector', AN_ELEMENT, '', 'a CSS selector'],
    ['ignoredForms', 'login', '"login"', 'a list of names'],
    ['ignoredForms', { 0: 'login', length: 1 }, '', 'a list of names'],
    ['ignoredForms', ['login', 7], '', 'a list of names'],
    ['ignoredInputs', [null], '', 'a list of names'],
    ['statusAppendTo', '!!', '"!!"', 'an element or a CSS selector'],
    ['statusAppendTo', null, 'null', 'an element or a CSS selector'],
    ['statusAppendTo', { nodeType: 9 }, '', 'an element or a CSS selector'],
    ['statusAppendTo', [AN_ELEMENT], '', 'an element or a CSS selector'],
    ['baseUrl', 'api.example', '"api.example"', 'a URL'],
    ['baseUrl', '', '""', 'a URL'],
    ['baseUrl', 'ftp://api.example', '"ftp://api.example"', 'a URL'],
    ['baseUrl', 'javascript:alert(1)', '"javascript:alert(1)"', 'a URL'],
    ['baseUrl', 'https://api.example/?key=1', '"https://api.example/?key=1"', 'a URL'],
    ['baseUrl', 'https://api.example/#a', '"https://api.example/#a"', 'a URL'],
    ['baseUrl', new URL('https://api.example'), '', 'a URL'],
    ['captcha', '#!!', '"#!!"', 'a function or a CSS selector'],
    ['captcha', null, 'null', 'a function or a CSS selector'],
    ['captcha', {}, '', 'a function or a CSS selector'],
    ['method', 'post', '"post"', '"GET" or "POST"'],
    ['method', 'PUT', '"PUT"', '"GET" or "POST"'],
    ['verifyOn', 'change', '"change"', '"input" or "blur" or "submit"'],
    ['verifyOn', () => 'blur', '', '"input" or "blur" or "submit"'],
    ['resultField', false, 'false', 'a string'],
    ['proofField', 1, '1', 'a string'],
    ['resultField', Symbol('x'), 'Symbol(x)', 'a string'],
    ['allow', true, 'true', 'an object'],
    ['allow', ['free'], '', 'an object'],
    ['messages', 'None', '"None"', 'an object'],
    ['messages', null, 'null', 'an object'],
    ['style', 'red', '"red"', 'an object'],
  ])('%s', (option, given, got, expected) => {
    const { value, warnings } = give(option, given);
    expect(value).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(option);
    expect(warnings[0]).toContain(got);
    expect(warnings[0]).toContain(`Expected ${expected}`);
  });

  it.each<[option: string, key: string, given: unknown, expected: string]>([
    ['allow', 'free', 'yes', 'true or false or "warn"'],
    ['allow', 'role', null, 'true or false or "warn"'],
    ['allow', 'disposable', 1, 'true or false or "warn"'],
    ['allow', 'states', 'deliverable', 'a list of deliverable, undeliverable, risky, unknown'],
    ['allow', 'states', ['accepted'], 'a list of deliverable, undeliverable, risky, unknown'],
    ['allow', 'colour', true, 'one of states, free, role, disposable'],
    ['messages', 'invalid', 7, 'a string'],
    ['messages', 'didyoumean', 'x', 'didYouMean'],
    ['style', 'loadingIconColor', {}, 'a string'],
    ['style', 'color', 'red', 'loadingIconColor'],
  ])('%s.%s, and goes on with the default', (option, key, given, expected) => {
    const { value, warnings } = give(option, { [key]: given });
    expect({ ...(value as object) }).toEqual(DEFAULTS[option as 'allow']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`${option}.${key}`);
    expect(warnings[0]).toContain(expected);
  });

  it.each(['allowed', 'apikey', 'api-key', '', 'verify', 'allow.free'])('the unknown option "%s"', (name) => {
    const { value, warnings } = give(name, 'x');
    expect(value).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`"${name}"`);
    expect(warnings[0]).toContain('apiKey');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'the name %s, which every object seems to know',
    (name) => {
      expect(give(name, {})).toMatchObject({ value: undefined, warnings: { length: 1 } });
      for (const option of ['allow', 'messages', 'style'] as const) {
        const given = JSON.parse(`{"${name}": {"free": false, "polluted": true}}`);
        const { value, warnings } = give(option, given);
        expect({ ...(value as object) }).toEqual(DEFAULTS[option]);
        expect(warnings).toHaveLength(1);
      }
      expect('polluted' in {}).toBe(false);
    },
  );
});

describe('refuses values without a text form in the same way, and throws nothing:', () => {
  const noText = () => {
    throw new Error('No text form.');
  };
  const FUNCTION = Object.assign(() => 1, { toString: noText });

  describe.each<[what: string, value: unknown, got: string]>([
    ['an object without a prototype', Object.create(null), 'object'],
    ['an object whose toString throws', { toString: noText, valueOf: noText, toJSON: noText }, 'object'],
    ['an object whose toString is no function', { toString: 1, valueOf: 2 }, 'object'],
    ['a function whose toString throws', FUNCTION, 'function'],
    ['a list of such objects', [Object.create(null)], 'object'],
    ['a symbol', Symbol('mine'), 'Symbol(mine)'],
    ['a symbol without a description', Symbol(), 'Symbol()'],
    ['a BigInt', 9007199254740993n, '9007199254740993'],
  ])('%s', (_what, value, got) => {
    const { allow, locale, messages, style, ...single } = DEFAULTS;

    it.each(Object.keys(single))('as %s', (name) => {
      // The one option that takes a function.
      if (name === 'captcha' && value === FUNCTION) return;
      const { value: taken, warnings } = give(name, value);
      expect(taken).toBeUndefined();
      expect(warnings).toEqual([expect.stringMatching(`^option ${name}: Expected `)]);
      expect(warnings[0]).toContain(`got ${got}.`);
    });

    it.each(
      Object.entries({ allow, locale, messages, style }).flatMap(([name, parts]) =>
        Object.keys(parts).map((part) => [name, part] as const),
      ),
    )('as %s.%s', (name, part) => {
      const { value: taken, warnings } = give(name, { [part]: value });
      expect({ ...(taken as object) }).toEqual(DEFAULTS[name as 'allow']);
      expect(warnings).toEqual([expect.stringMatching(`^option ${name}\\.${part}: Expected `)]);
      expect(warnings[0]).toContain(`got ${got}.`);
    });
  });
});

describe('allow, messages and style', () => {
  it('are merged key by key', () => {
    const { value } = give('allow', { free: false });
    expect({ ...(value as object) }).toEqual({ ...DEFAULTS.allow, free: false });
  });

  it('are merged with the current values', () => {
    const base = { ...DEFAULTS, messages: { ...DEFAULTS.messages, role: 'Base role', free: 'Base free' } };
    const { value } = give('messages', { free: 'Own' }, base);
    expect(value).toMatchObject({ role: 'Base role', free: 'Own', invalid: DEFAULTS.messages.invalid });
  });

  it('keep correct parts next to wrong ones', () => {
    const { value, warnings } = give('allow', { free: 'no', role: false, novel: 1, states: ['risky'] });
    expect({ ...(value as object) }).toEqual({ ...DEFAULTS.allow, role: false, states: ['risky'] });
    expect(warnings).toHaveLength(2);
  });

  it('leave the defaults as they are', () => {
    const before = structuredClone({ ...DEFAULTS });
    give('allow', { free: false, states: [] });
    give('messages', { invalid: 'x' });
    expect(DEFAULTS).toEqual(before);
  });

  it('may be given empty', () => {
    expect({ ...(give('allow', {}).value as object) }).toEqual(DEFAULTS.allow);
  });
});

describe('an attribute', () => {
  it.each<[string, string, unknown]>([
    ['apiKey', 'test_public', 'test_public'],
    ['apiKey', '1234', '1234'],
    ['apiKey', 'null', 'null'],
    ['apiKey', '"quoted"', 'quoted'],
    ['verifyAfterDelay', '500', 500],
    ['verifyAfterDelay', ' 0 ', 0],
    ['formValidation', 'false', false],
    ['ignoredForms', '["login"]', ['login']],
    ['inputSelector', '[name=mail]', '[name=mail]'],
    ['inputSelector', '.a', '.a'],
    ['resultField', 'true', 'true'],
    ['method', 'POST', 'POST'],
    ['baseUrl', 'https://api.example', 'https://api.example'],
  ])('%s="%s" is the JSON that it holds, or else the string', (name, text, value) => {
    expect(attribute(name, text)).toEqual({ value, warnings: [] });
  });

  it.each(['{"a":1}', '[1]', '"a"', '-1.5e3', '0', 'true', 'false'])(
    'holds %s, with white space around it or not',
    (json) => {
      for (const space of ['', ' ', '\t', '\r\n'])
        expect(attributeReadings(space + json + space)[0]).toEqual(JSON.parse(json));
    },
  );

  it.each(['test_public', 'https://api.example', 'POST', 'blur', 'input[type=email]', '#status', '.status'])(
    'holds %s without an exception, which is what takes the time',
    (text) => {
      const parse = vi.spyOn(JSON, 'parse');
      onTestFinished(() => parse.mockRestore());
      expect(attributeReadings(text)[0]).toBe(text);
      expect(parse).not.toHaveBeenCalled();
    },
  );

  it('without a value means true if that is allowed, and otherwise an empty text', () => {
    expect(attribute('debug', '')).toEqual({ value: true, warnings: [] });
    expect(attribute('captcha', '')).toEqual({ value: '', warnings: [] });
  });

  it('holds an object as JSON', () => {
    expect(attribute('allow', '{"free": "warn"}')).toMatchObject({ value: { free: 'warn' }, warnings: [] });
  });

  it.each([
    ['verifyAfterDelay', ''],
    ['verifyAfterDelay', '1s'],
    ['verifyAfterDelay', '-1'],
    ['verifyAfterDelay', '1e999'],
    ['ignoredForms', 'login'],
    ['allow', "{free: 'warn'}"],
    ['allow', 'null'],
    ['verifyOn', 'never'],
  ])('%s="%s" is refused, once', (name, text) => {
    expect(attribute(name, text)).toMatchObject({ value: undefined, warnings: { length: 1 } });
  });
});

describe('in a page that has extended Object.prototype', () => {
  const extended = Object.prototype as Record<string, unknown>;
  const NAMES = ['allow', 'free', 'extend', 'messages', 'apiKey'];
  afterEach(() => {
    for (const name of NAMES) delete extended[name];
  });

  it('takes nothing from there', () => {
    for (const name of NAMES) extended[name] = false;
    const { value, warnings } = give('allow', { role: false });
    expect(warnings).toEqual([]);
    expect((value as typeof DEFAULTS.allow).free).toBe(true);
    expect((value as typeof DEFAULTS.allow).role).toBe(false);
    expect(give('extend', 1).warnings).toHaveLength(1);
  });
});
