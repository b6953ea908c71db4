import { calculateJwkThumbprint, importJWK } from 'jose';
import { expect, it } from 'vitest';
import { makeKeyPair, publishedKeyOf, signingKeyOf } from '../../../src/service/proof/key-pair.ts';

it('names a key by the thumbprint that other programs compute', async () => {
  const pair = makeKeyPair();
  expect(pair.kid).toBe(await calculateJwkThumbprint(publishedKeyOf(pair)));
});

it('publishes what verifiers need, and not the private part', async () => {
  const pair = makeKeyPair();
  const published = publishedKeyOf(pair);
  expect(Object.keys(published).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  expect(JSON.stringify(published)).not.toContain(pair.d);
  expect(await importJWK({ ...published })).toMatchObject({ type: 'public' });
});

it('makes another key each time', () => {
  expect(makeKeyPair().d).not.toBe(makeKeyPair().d);
});

it('refuses a point that is on no curve', () => {
  expect(() => signingKeyOf({ ...makeKeyPair(), x: makeKeyPair().x })).toThrow();
});
