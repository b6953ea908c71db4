import { afterEach, describe, expect, it } from 'vitest';
import { REASONS } from '../../../src/protocol/result.ts';
import { unusable } from '../../../src/widget/check/local-answer.ts';
import { resultOf } from '../scripted-fetch.ts';

it('is a documented result of an address that cannot be delivered', () => {
  const { status, body, _result: result } = unusable('joe@shop');
  const sent = JSON.parse(body);
  expect(status).toBe(0);
  expect(sent).toMatchObject({
    email: 'joe@shop',
    user: 'joe',
    domain: 'shop',
    state: 'undeliverable',
    reason: 'invalid_email',
    score: 0,
    did_you_mean: null,
    disposable: false,
    role: false,
    free: false,
    mailbox_full: false,
    no_reply: false,
    mx_record: '',
  });
  expect(REASONS).toContain(sent.reason);
  expect({ ...result }).toEqual(sent);
});

it.each([
  ['Tom Meier <tom@gmail.com>', 'tom@gmail.com'],
  ['"Meier, Tom" <tom@gmail.com>', 'tom@gmail.com'],
  ['<tom@gmail.com>', 'tom@gmail.com'],
  ['mailto:tom@gmail.com', 'tom@gmail.com'],
  ['MAILTO:tom@gmail.com?subject=Hello', 'tom@gmail.com'],
  ['Tom <tom@gmail.com>, Ann <ann@gmail.com>', null],
  ['mailto:tom@gmail.com,ann@gmail.com', null],
  ['Tom <tom>', null],
  ['mailto:', null],
  ['tom@', null],
])('suggests the one address in what mail programs copy: %s', (copied, address) => {
  expect(JSON.parse(unusable(copied).body).did_you_mean).toBe(address);
});

it('has every documented field, each of its documented type, and no other', () => {
  const documented = resultOf('joe@shop.example');
  const sent = JSON.parse(unusable('joe@shop').body);
  expect(Object.keys(sent).sort()).toEqual(Object.keys(documented).sort());
  for (const [field, value] of Object.entries(documented)) {
    if (value !== null) expect(`${field}: ${typeof sent[field]}`).toBe(`${field}: ${typeof value}`);
  }
});

it.each([
  ['joe', 'joe', ''],
  ['joe@', 'joe', ''],
  ['@shop.example', '', 'shop.example'],
  ['a@b@c', 'a@b', 'c'],
  ['joe@news@shop.example', 'joe@news', 'shop.example'],
  ['"</script>\n\u2028\\', '"</script>\n\u2028\\', ''],
  ['', '', ''],
])('splits %j into its parts', (address, user, domain) => {
  expect(JSON.parse(unusable(address).body)).toMatchObject({ email: address, user, domain });
});

describe('in a page whose library has extended prototypes', () => {
  const prototypes = [Object.prototype, Array.prototype, String.prototype] as { toJSON?: unknown }[];
  afterEach(() => {
    for (const prototype of prototypes) delete prototype.toJSON;
    delete (Object.prototype as Record<string, unknown>).disposable;
  });

  it('makes the same JSON as in other pages', () => {
    const { body } = unusable('joe@shop');
    for (const prototype of prototypes.slice(0, 2)) prototype.toJSON = () => 'hijacked';
    (Object.prototype as Record<string, unknown>).disposable = true;
    const there = unusable('joe@shop');
    expect(there.body).toBe(body);
    expect(there._result.disposable).toBe(false);
    expect(there._result.state).toBe('undeliverable');
  });
});
