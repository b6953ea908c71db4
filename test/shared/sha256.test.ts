import crypto from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { digestOf, sha256 } from '../../src/shared/sha256.ts';

const { hash } = crypto;
afterEach(() => {
  crypto.hash = hash;
});

/** Of `abc`, by FIPS 180-2, appendix B.1. */
const OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

it('is SHA-256', () => {
  expect([sha256('abc'), digestOf('abc').toString('hex')]).toEqual([OF_ABC, OF_ABC]);
});

it('is the same in a Node without crypto.hash', () => {
  crypto.hash = undefined as unknown as typeof hash;
  expect([sha256('abc'), digestOf('abc').toString('hex')]).toEqual([OF_ABC, OF_ABC]);
});
