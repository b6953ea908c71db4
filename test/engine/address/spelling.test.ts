import { expect, it } from 'vitest';
import { oneSpelling } from '../../../src/engine/address/spelling.ts';

it.each([
  ['jose\u0301@example.com', 'jos\u00e9@example.com'],
  ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
  ['ada@MU\u0308NCHEN.example', 'ada@xn--mnchen-3ya.example'],
  ['ada@Example.COM', 'ada@example.com'],
  ['ada@ｅxample.com', 'ada@example.com'],
  ['@Example.com', '@example.com'],
  ['"a@b"@Example.com', '"a@b"@example.com'],
  ['jose\u0301', 'jos\u00e9'],
  ['ada@not a doma\u0301in', 'ada@not a dom\u00e1in'],
])('takes %s and %s for one mailbox', (one, other) => {
  expect(oneSpelling(one)).toBe(oneSpelling(other));
});

it.each([
  ['Ada@example.com', 'ada@example.com'],
  ['ada@straße.example', 'ada@strasse.example'],
  ['strauß@example.com', 'strauss@example.com'],
  ['\ufb01@example.com', 'fi@example.com'],
  ['ada@exam\u200bple.com', 'ada@example.com'],
])('takes %s and %s for two mailboxes', (one, other) => {
  expect(oneSpelling(one)).not.toBe(oneSpelling(other));
});

it.each(['ada', '', '"a@b"@example.com', 'ada@', 'ada@not a domain'])(
  'leaves what has one spelling as it is: %s',
  (text) => {
    expect(oneSpelling(text)).toBe(text);
  },
);
