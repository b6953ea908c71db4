import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Command, createCommand, replaceQueue } from '../../src/widget/commands.ts';
import type { GivenOptions } from '../../src/widget/index.ts';

/** What reaches the widget, in order. */
let calls: unknown[][];
let command: Command;
beforeEach(() => {
  calls = [];
  command = createCommand({
    set: (options) => void calls.push(['set', options]),
    verify(input) {
      calls.push(['verify', input]);
      return Promise.resolve(null);
    },
    destroy: () => void calls.push(['destroy']),
  });
});

describe('the command', () => {
  it('sets one option by name', () => {
    command('verifyAfterDelay', 500);
    expect(calls).toEqual([['set', { verifyAfterDelay: 500 }]]);
  });

  it('sets several options at once', () => {
    command({ apiKey: 'test_public', method: 'POST' });
    expect(calls).toEqual([['set', { apiKey: 'test_public', method: 'POST' }]]);
  });

  it('verifies an input, and returns the promise', async () => {
    const input = {} as HTMLInputElement;
    expect(await command('verify', input)).toBeNull();
    expect(calls).toEqual([['verify', input]]);
  });

  it('destroys', () => {
    command('destroy');
    expect(calls).toEqual([['destroy']]);
  });

  it('passes "__proto__" on as an option name, and changes no prototype', () => {
    command('__proto__', { polluted: true });
    const [[, options]] = calls as [[string, object]];
    expect(Object.keys(options)).toEqual(['__proto__']);
    expect('polluted' in options).toBe(false);
  });
});

describe('the queue', () => {
  function pageQueue() {
    const scope: Record<string, unknown> = {};
    const q: unknown[] = [];
    // As in the page's own line, each call is its `arguments`: no array, but like one.
    const queue = (...given: unknown[]) => q.push({ ...given, length: given.length });
    scope.emailVerify = Object.assign(queue, { q });
    return scope as { emailVerify: (...given: unknown[]) => unknown };
  }

  it('skips entries that are not calls', () => {
    const scope = { emailVerify: Object.assign(() => {}, { q: [null, ['apiKey', 'test_public']] }) };
    expect(() => replaceQueue(scope, 'emailVerify', command)).not.toThrow();
    expect(calls.at(-1)).toEqual(['set', { apiKey: 'test_public' }]);
  });

  it('runs in order', () => {
    const scope = pageQueue();
    const input = {};
    scope.emailVerify('apiKey', 'test_public');
    scope.emailVerify({ method: 'POST' } satisfies GivenOptions);
    scope.emailVerify('verify', input);
    scope.emailVerify('destroy');
    replaceQueue(scope, 'emailVerify', command);
    expect(calls).toEqual([
      ['set', { apiKey: 'test_public' }],
      ['set', { method: 'POST' }],
      ['verify', input],
      ['destroy'],
    ]);
  });

  it('is replaced by the command, which acts at once', () => {
    const scope = pageQueue();
    replaceQueue(scope, 'emailVerify', command);
    expect(scope.emailVerify).toBe(command);
    scope.emailVerify('apiKey', 'test_public');
    expect(calls).toEqual([['set', { apiKey: 'test_public' }]]);
  });

  it('may have a name that the page chose', () => {
    const scope: Record<string, unknown> = { check: { q: [['apiKey', 'test_public']] } };
    replaceQueue(scope, 'check', command);
    expect(scope.check).toBe(command);
    expect(scope.emailVerify).toBeUndefined();
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['not there', undefined],
    ['a function without calls', () => {}],
    ['null', null],
    ['a text', 'emailVerify'],
    ['no list', { q: 7 }],
    ['empty', { q: [] }],
  ])('may be %s', (_, before) => {
    const scope: Record<string, unknown> = { emailVerify: before };
    replaceQueue(scope, 'emailVerify', command);
    expect(scope.emailVerify).toBe(command);
    expect(calls).toEqual([]);
  });

  it('does not lose calls that are made while it runs', () => {
    const scope = pageQueue();
    const called = vi.fn();
    scope.emailVerify('apiKey', 'first');
    replaceQueue(scope, 'emailVerify', (name, value) => {
      called(name, value);
      if (value === 'first') scope.emailVerify('apiKey', 'second');
    });
    expect(called.mock.calls).toEqual([
      ['apiKey', 'first'],
      ['apiKey', 'second'],
    ]);
  });
});
