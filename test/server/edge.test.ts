/** The entry where there is nothing of Node: only what all web platforms have, as at the edge. */
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import type * as Entry from '../../src/server/index.ts';
import { webhookHeaders } from '../../src/service/core/webhook-signature.ts';
import { EMAIL, json, makeKey, NOW, PAGE, SERVICE, scriptedFetch, sign } from './issuer.ts';

/** What the code may find, besides the language itself. */
const PLATFORM = {
  ...{ AbortController, Blob, Headers, Response, TextDecoder, TextEncoder, URL, URLSearchParams },
  ...{ atob, btoa, clearTimeout, crypto, setTimeout },
};

async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: 'src/server', loader: 'ts' },
    ...{ bundle: true, format: 'iife', globalName: 'entry', platform: 'neutral', target: 'es2022' },
    write: false,
  });
  return outputFiles[0]!.text;
}

it('does all that it does elsewhere', async () => {
  const key = await makeKey();
  const fetch = scriptedFetch((url) =>
    json(
      url.endsWith('jwks.json')
        ? { keys: [key.publicJwk] }
        : { email: EMAIL, state: 'risky', reason: 'low_quality' },
    ),
  );
  const context = createContext({ ...PLATFORM, fetch });
  runInContext(await bundle(`export * from './index.ts';`), context);
  const { createClient, createCallbackReader, verifyEmailToken } = context.entry as typeof Entry;
  const now = () => NOW * 1000;

  const client = createClient({ service: SERVICE, origin: PAGE, key: 'live_private', now });
  expect(await client.checkSubmission({ email: EMAIL, proof: await sign(key) })).toMatchObject({
    ...{ accepted: true, because: 'accepted_email' },
  });
  expect(await client.checkSubmission({ email: EMAIL, proof: 'proof' })).toEqual({
    ...{ accepted: false, because: 'malformed' },
  });
  expect(await client.checkSubmission({ email: EMAIL })).toMatchObject({
    accepted: true,
    because: 'low_quality',
  });

  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = webhookHeaders([new Webhook(secret)], 'msg_1', new Date(NOW * 1000), '{"id":"a"}');
  expect(await createCallbackReader({ secret, now }).read({ headers, body: '{"id":"a"}' })).toEqual({
    ...{ ok: true, content: { id: 'a' } },
  });

  const options = { email: EMAIL, origin: PAGE, nonce: 'nonce' };
  await expect(verifyEmailToken('', options)).rejects.toThrow('Expected resolve to be');
  const resolve = async () => [];
  expect(await verifyEmailToken('', { ...options, resolve })).toEqual({ ok: false, reason: 'absent' });
});

it.each([
  ['createProofVerifier', ['callback', 'v1/verify', 'email-verification']],
  ['createCallbackReader', ['jwks', 'v1/verify', 'email-verification']],
])('brings with %s alone nothing of the others', async (name, others) => {
  const text = await bundle(`export { ${name} } from './index.ts';`);
  expect(text).toContain(name);
  expect(others.filter((word) => text.includes(word))).toEqual([]);
});
