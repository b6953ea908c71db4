/** The server behind the demo's page of the browser's own proof, and its mail provider. Here, Node is the browser. */
import { createHash, sign } from 'node:crypto';
import { request } from 'node:https';
import { Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { generateKeys } from '../../../src/service/core/generate-keys.ts';
import { createFolder } from '../../folder.ts';
import { listenService } from '../raw.ts';

const { path: demoFolder, write } = createFolder();
write('proof/browser/index.html', '<!doctype html><!-- masthead -->');

const EMAIL = 'deliverable@example.com';
const ISSUER = 'accounts.provider.localhost';
const { privateKey, publicKey } = generateKeys('ed25519');

interface Session {
  readonly nonce: string;
  readonly mailbox: string;
  readonly provider: string;
  readonly switches: readonly string[];
  readonly cookie: string;
}

async function openPage(): Promise<{ url: string; openSession(): Promise<Session> }> {
  const { port } = await listenService({ demoFolder, isDemo: true });
  const url = `http://localhost:${port}/proof/browser/`;
  return {
    url,
    async openSession() {
      const response = await fetch(`${url}session`);
      const [cookie = ''] = response.headers.getSetCookie();
      expect(cookie).toMatch(/^browser-proof=[\w-]{43}; HttpOnly; SameSite=Strict$/);
      return { ...((await response.json()) as Session), cookie: cookie.split(';')[0]! };
    },
  };
}

/** Asks the provider for a token, as the browser does that was started with these switches. */
async function issue({ switches }: Session, cookie = 'mailbox=open', email = EMAIL) {
  const [, port] = /MAP accounts\.provider\.localhost 127\.0\.0\.1:(\d+)/.exec(switches.join('\n'))!;
  const { x } = publicKey.export({ format: 'jwk' });
  const asked = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: '/issue', rejectUnauthorized: false },
    headers: { host: ISSUER, cookie, 'signature-key': `sig=hwk;kty="OKP";crv="Ed25519";x="${x}"` },
  });
  asked.end(JSON.stringify({ email }));
  const body = await new Promise<string>((resolve, reject) => {
    asked.on('error', reject).on('response', (response) => resolve(text(response)));
  });
  return JSON.parse(body) as { issuance_token?: string };
}

/** Binds a token of the provider to a page and a session. */
function bind(issued: string, url: string, nonce: string): string {
  const claims = {
    ...{ aud: new URL(url).origin, nonce, iat: Math.floor(Date.now() / 1000) },
    sd_hash: createHash('sha256').update(issued).digest('base64url'),
  };
  const content = [{ alg: 'EdDSA', typ: 'kb+jwt' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${issued}${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}`;
}

async function submit(url: string, cookie: string, fields: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ email: EMAIL, ...fields });
  return (await fetch(`${url}submissions`, { method: 'POST', headers: { cookie }, body })).json();
}

it('accepts a token of its provider for this page and session, once', async () => {
  const { url, openSession } = await openPage();
  const session = await openSession();
  expect(session).toMatchObject({ mailbox: EMAIL, provider: `https://${ISSUER}/` });
  const evt = bind((await issue(session)).issuance_token!, url, session.nonce);
  const accepted = { ok: true, email: EMAIL, issuer: ISSUER, isPrivate: false };
  expect(await submit(url, session.cookie, { evt })).toEqual(accepted);
  expect(await submit(url, session.cookie, { evt })).toEqual({ ok: false, reason: 'nonce' });
});

it('refuses a token of another session, page or address', async () => {
  const { url, openSession } = await openPage();
  const refusals: unknown[] = [];
  for (const change of [
    { nonce: (await openSession()).nonce },
    { page: 'http://evil.test' },
    { email: 'other@example.com' },
    { cookie: '' },
    { evt: '' },
  ]) {
    const session = await openSession();
    const { page = url, nonce = session.nonce, cookie = session.cookie, ...fields } = change;
    const evt = bind((await issue(session)).issuance_token!, page, nonce);
    refusals.push(await submit(url, cookie, { evt, ...fields }));
  }
  expect(refusals).toEqual(
    ['nonce', 'audience', 'other-address', 'nonce', 'absent'].map((reason) => ({ ok: false, reason })),
  );
});

it('has a provider that issues nothing for another address, or without a sign-in', async () => {
  const { openSession } = await openPage();
  const session = await openSession();
  expect((await openSession()).switches).toEqual(session.switches);
  const refused = { error: 'authentication_required' };
  expect(await issue(session, 'mailbox=closed')).toEqual(refused);
  expect(await issue(session, undefined, 'other@example.com')).toEqual(refused);
});

it('serves the page, which may ask whether the provider can be reached', async () => {
  const { url } = await openPage();
  const response = await fetch(url);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain(`connect-src 'self' https://${ISSUER};`);
  expect(await response.text()).toContain('class="masthead"');
});

it('is not part of a service that is no demo', async () => {
  const { port } = await listenService({ demoFolder });
  const response = await fetch(`http://127.0.0.1:${port}/proof/browser/session`);
  expect(response.status).toBe(404);
});

it('starts the mail provider at the next visit if it could not listen', async () => {
  const { url, openSession } = await openPage();
  vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
    setImmediate(() => this.emit('error', new Error('EMFILE')));
    return this;
  });
  expect((await fetch(`${url}session`)).status).toBe(500);
  expect(await openSession()).toMatchObject({ mailbox: EMAIL });
});
