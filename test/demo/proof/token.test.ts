import { beforeAll, describe, expect, it } from 'vitest';
import { CHANGES, type Change, falsify, readToken } from '../../../demo/proof/token.js';
import { createProofVerifier } from '../../../src/server/proof-verifier.ts';
import {
  claimsOf,
  EMAIL,
  json,
  makeKey,
  NOW,
  PAGE,
  SERVICE,
  type SigningKey,
  sign,
} from '../../server/issuer.ts';

let key: SigningKey;
let token: string;

beforeAll(async () => {
  key = await makeKey();
  token = await sign(key);
});

it('reads the header and the claims of a proof', async () => {
  const header = { alg: 'ES256', kid: key.kid, typ: 'email-verify-proof+jwt' };
  expect(readToken(token)).toEqual({ header, claims: claimsOf() });
  const claims = claimsOf({ email: 'änna@bücher.example' });
  expect(readToken(await sign(key, claims))?.claims).toEqual(claims);
});

it.each(['', 'proof', 'a.b.c', 'e30', '%.%.%', 'e30.W10=.', 'e30.gA.x'])(
  'reads %j as far as it can, without an exception',
  (text) => {
    expect([undefined, 'object']).toContain(readToken(text) && typeof readToken(text));
  },
);

describe('each way to falsify a proof', () => {
  const codes: Record<Change, string> = {
    character: 'signature',
    score: 'signature',
    algorithm: 'malformed',
    key: 'unknown-key',
  };

  it('is one that a server is asked about here', () => {
    expect(Object.keys(CHANGES)).toEqual(Object.keys(codes));
  });

  it.each(Object.entries(codes) as [Change, string][])('is refused: %s as %s', async (change, code) => {
    const verifyProof = createProofVerifier({
      service: SERVICE,
      origin: PAGE,
      fetch: async () => json({ keys: [key.publicJwk] }),
      now: () => NOW * 1000,
    });
    expect(await verifyProof(token, EMAIL)).toMatchObject({ ok: true });
    for (const score of [0, 100]) {
      const genuine = await sign(key, { score });
      expect(await verifyProof(falsify(genuine, change), EMAIL)).toEqual({ ok: false, reason: code });
    }
  });
});
