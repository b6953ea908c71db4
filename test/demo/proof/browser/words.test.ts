import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHECKS } from '../../../../demo/proof/browser/words.js';

it('words each check of the server, in the order of the checks', () => {
  const source = readFileSync('src/server/email-token.ts', 'utf8');
  const [, union = ''] = /^export type EmailTokenRefusal =([^;]+);/m.exec(source) ?? [];
  const codes = [...union.matchAll(/'([\w-]+)'/g)].map(([, code]) => code);
  expect(codes).toContain('signature');
  expect(Object.keys(CHECKS)).toEqual(codes);
});
