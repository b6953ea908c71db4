import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CLAIM_MEANINGS, HEADER_MEANINGS, REFUSALS, wordValue } from '../../../demo/proof/words.js';
import { proofHead } from '../../../src/protocol/proof.ts';
import { claimsOf } from '../../server/issuer.ts';

it('says what each part of a proof means', () => {
  expect(Object.keys(CLAIM_MEANINGS)).toEqual(Object.keys(claimsOf({ test: true })));
  expect(Object.keys(HEADER_MEANINGS)).toEqual(Object.keys(proofHead('')));
});

it('words each refusal of the documentation', () => {
  const [, table = ''] = readFileSync('docs/server.md', 'utf8').split('| `reason` | the proof |');
  const [rows = ''] = table.split('\n\n');
  const codes = [...rows.matchAll(/^\| `([\w-]+)`/gm)].map(([, code]) => code);
  expect(Object.keys(REFUSALS)).toEqual(codes);
});

it.each([
  ['aud', 'https://shop.example', 'https://shop.example'],
  ['score', 95, '95'],
  ['accept_all', null, 'null'],
  ['exp', 'soon', 'soon'],
])('shows the value of %s as it is', (name, value, text) => {
  expect(wordValue(name, value)).toBe(text);
});

it('shows when a proof ends', () => {
  expect(wordValue('exp', 1_795_780_800)).toMatch(/^1795780800, which is \d\d:\d\d:\d\d$/);
});
