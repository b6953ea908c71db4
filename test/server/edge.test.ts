/** The entry where there is nothing of Node: only what all web platforms have, as at the edge. */
import { resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type * as Entry from '../../src/server/index.ts';
import { webhookHeaders } from '../../src/service/core/webhook-signature.ts';
import { BLOCKS } from '../docs/blocks.ts';
import { EMAIL, json, makeKey, NOW, PAGE, SERVICE, scriptedFetch, sign } from './issuer.ts';
import { HOST, KEYS, METADATA, makePair, NONCE, signToken } from './mail-provider.ts';

/** What the code may find, besides the language itself. */
const PLATFORM = {
  ...{ AbortController, Blob, Headers, Response, TextDecoder, TextEncoder, URL, URLSearchParams },
  ...{ atob, btoa, clearTimeout, crypto, setTimeout },
};

/** By the package's name, the code finds what is shipped, after `npm run build`. */
const SHIPPED = { 'email-verify-widget/server': resolve('dist/server.js') };

async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: 'src/server', loader: 'ts' },
    ...{ bundle: true, format: 'iife', globalName: 'entry', platform: 'neutral', target: 'es2022' },
    alias: SHIPPED,
    write: false,
  });
  return outputFiles[0]!.text;
}

/** @param more what else the code may find @returns what the code exports */
async function runAtEdge(source: string, more: object): Promise<unknown> {
  const context = createContext({ ...PLATFORM, ...more });
  runInContext(await bundle(source), context);
  return context.entry;
}

describe('where there is nothing of Node', async () => {
  const key = await makeKey();
  const [provider, browser] = [await makePair('EdDSA'), await makePair('ES256')];
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const now = () => NOW * 1000;
  const fetch = scriptedFetch((url) =>
    json(
      {
        [`${SERVICE}/.well-known/jwks.json`]: { keys: [key.publicJwk] },
        [`${SERVICE}/v1/verify`]: { email: EMAIL, state: 'risky', reason: 'low_quality' },
        [METADATA]: { jwks_uri: KEYS },
        [KEYS]: { keys: [{ ...provider.jwk, kid: provider.kid }] },
      }[url],
    ),
  );
  const entry = (await runAtEdge(`export * from 'email-verify-widget/server';`, { fetch })) as typeof Entry;
  const forged = await sign({ ...(await makeKey()), kid: key.kid });

  const RUNS: { readonly [Name in keyof typeof Entry]: () => Promise<void> } = {
    async createClient() {
      const client = entry.createClient({ service: SERVICE, origin: PAGE, key: 'live_private', now });
      const check = (proof?: string) => client.checkSubmission({ email: EMAIL, proof });
      expect(await check(await sign(key))).toMatchObject({ accepted: true, because: 'accepted_email' });
      expect(await check('proof')).toEqual({ accepted: false, because: 'malformed' });
      expect(await check(forged)).toEqual({ accepted: false, because: 'signature' });
      expect(await check()).toMatchObject({ accepted: true, because: 'low_quality' });
      expect(await client.verifyEmail(EMAIL, { idempotencyKey: 'ä' })).toMatchObject({ accepted: true });
    },
    async createProofVerifier() {
      const verifyProof = entry.createProofVerifier({ service: SERVICE, origin: PAGE, now });
      expect(await verifyProof(await sign(key), EMAIL)).toMatchObject({ ok: true, result: { email: EMAIL } });
      expect(await verifyProof(forged, EMAIL)).toEqual({ ok: false, reason: 'signature' });
    },
    async createCallbackReader() {
      const text = '{"id":"ä"}';
      const { read } = entry.createCallbackReader({ secret, now });
      const headers = webhookHeaders([new Webhook(secret)], 'msg_1', new Date(NOW * 1000), text);
      for (const body of [text, new TextEncoder().encode(text)])
        for (const given of [headers, new Headers({ ...headers })])
          expect(await read({ headers: given, body })).toEqual({ ok: true, content: { id: 'ä' } });
      expect(await read({ headers, body: '{}' })).toEqual({ ok: false, reason: 'signature' });
    },
    async verifyEmailToken() {
      const options = { email: EMAIL, origin: PAGE, nonce: NONCE, now };
      const token = await signToken({ issuer: provider, browser });
      const resolve = async () => [`iss=${HOST}`];
      expect(await entry.verifyEmailToken(token, { ...options, resolve })).toEqual({
        ...{ ok: true, email: EMAIL, issuer: HOST, isPrivate: false },
      });
      const altered = await signToken({ issuer: { ...browser, kid: provider.kid }, browser });
      expect(await entry.verifyEmailToken(altered, { ...options, resolve })).toEqual({
        ...{ ok: false, reason: 'signature' },
      });
      // Only Node has a resolver of its own.
      await expect(entry.verifyEmailToken(token, options)).rejects.toThrow('Expected resolve to be');
    },
  };

  it('has a run of each function', () => {
    expect(Object.keys(entry).sort()).toEqual(Object.keys(RUNS).sort());
  });

  it.each(Object.entries(RUNS))('%s does what it does elsewhere', (_, run) => run());

  type Handler = { POST(request: Request): Promise<Response> };
  /** Runs a handler of docs/server.md, which reads the time and the environment itself. */
  const runHandler = async (heading: string, env: object) => {
    const { code } = BLOCKS.find((each) => each.file === 'docs/server.md' && each.heading === heading)!;
    const handler = await runAtEdge(code, { fetch, console: { log() {} }, process: { env } });
    return async (headers: Record<string, string>, body: string | URLSearchParams) =>
      (await (handler as Handler).POST(new Request(PAGE, { method: 'POST', headers, body }))).status;
  };

  it('the documented handler of forms decides', async () => {
    const env = { VERIFY_URL: SERVICE, VERIFY_KEY: 'live_private', PAGE_ORIGIN: PAGE };
    const post = await runHandler('Next, Hono, Remix and others with `Request` and `Response`', env);
    const iat = Math.floor(Date.now() / 1000) - 5;
    const proof = await sign(key, { iat, exp: iat + 600 });
    expect(await post({}, new URLSearchParams({ email: EMAIL, proof }))).toBe(200);
    expect(await post({}, new URLSearchParams({ email: 'bob@shop.example', proof }))).toBe(422);
  });

  it('the documented handler of callbacks reads them', async () => {
    const post = await runHandler('Callbacks', { CALLBACK_SECRET: secret });
    const headers = webhookHeaders([new Webhook(secret)], 'msg_1', new Date(), '{}');
    expect(await post(headers, '{}')).toBe(200);
    expect(await post(headers, '{"id":"b"}')).toBe(400);
  });
});

/** What only the others have of each. */
const OWN: Readonly<Record<string, string>> = {
  createCallbackReader: 'webhook-signature',
  createClient: 'v1/verify',
  createProofVerifier: 'jwks.json',
  verifyEmailToken: 'email-verification',
};

it.each(Object.keys(OWN))('brings with %s alone nothing of the others', async (name) => {
  const text = await bundle(`export { ${name} } from 'email-verify-widget/server';`);
  const brought = Object.keys(OWN).filter((each) => text.includes(OWN[each]!));
  // A client verifies proofs, too.
  expect(brought).toEqual(name === 'createClient' ? [name, 'createProofVerifier'] : [name]);
});
