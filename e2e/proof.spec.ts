/** A form that carries the service's proof to a page's own server, which verifies it with `email-verify-widget/server`. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'email-verify-widget/server';
import { UnsecuredJWT } from 'jose';
import { claimsOf, makeKey, sign, signTexts } from '../test/server/issuer.ts';
import { test as base, expect, FORM, JOE } from './fixtures.ts';
import { MockService } from './mock-service/mock-service.ts';
import type { WidgetPage } from './pages/widget-page.ts';

/** What the server has decided about the forms that reached it. */
interface OwnServer {
  readonly url: string;
  readonly decisions: { readonly because: string; readonly proof: string | undefined }[];
}

const test = base.extend<{ ownServer: OwnServer }>({
  ownServer: async ({ service, site }, use) => {
    const decisions: OwnServer['decisions'] = [];
    const used = new Set<string>();
    const client = createClient({
      service: service.origin,
      key: 'test_private',
      origin: site.origin(),
      seen: (jti) => used.has(jti) || !used.add(jti),
      // Tells a proof from an answer of the API, which no proof has to do with.
      policy: 'closed',
      fetch: (input, init) => {
        if (!String(input).endsWith('/jwks.json')) throw new Error(`Expected only keys, got ${input}.`);
        return fetch(input, init);
      },
    });
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const { email, proof } = Object.fromEntries(new URLSearchParams(body));
      const { accepted, because } = await client.checkSubmission({ email: email ?? '', proof });
      decisions.push({ because, proof });
      response.writeHead(accepted ? 200 : 422, { 'content-type': 'text/html' }).end(because);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-up`, decisions });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});

const open = { options: { apiKey: 'live_public', proofField: 'proof' } };
const formTo = ({ url }: OwnServer) => FORM.replace('/submit', url);

/** Opens the form and enters an address. @returns the proof of its result */
async function enterVerified(widgetPage: WidgetPage, ownServer: OwnServer): Promise<string> {
  await widgetPage.open(formTo(ownServer), open);
  await widgetPage.enter(JOE);
  const { detail } = await widgetPage.nextEvent('verified');
  return (detail as { verificationData: { proof: string } }).verificationData.proof;
}

test('is accepted by the page’s own server, which asks for keys only', async ({ ownServer, widgetPage }) => {
  const proof = await enterVerified(widgetPage, ownServer);
  await widgetPage.send.click();
  await expect.poll(() => ownServer.decisions).toEqual([{ because: 'accepted_email', proof }]);
  expect(widgetPage.service.requests).toHaveLength(1);
});

test('is sent with a held submission', async ({ ownServer, service, widgetPage }) => {
  await widgetPage.sendWhilePending(JOE, formTo(ownServer), open);
  service.release();
  await expect.poll(() => ownServer.decisions).toMatchObject([{ because: 'accepted_email' }]);
});

test('is replaced before a late submission, if the service gives one', async ({ ownServer, widgetPage }) => {
  const { page, service } = widgetPage;
  const proof = await enterVerified(widgetPage, ownServer);
  await page.clock.fastForward(570_000);
  await widgetPage.send.click();
  await expect.poll(() => ownServer.decisions).toMatchObject([{ because: 'accepted_email' }]);
  expect(ownServer.decisions[0]?.proof).not.toBe(proof);
  expect(service.requests).toHaveLength(2);
  // The visitor submits what there is.
  const [sent] = ownServer.decisions;
  await page.clock.fastForward(570_000);
  await service.stop();
  await widgetPage.send.click();
  await expect.poll(() => ownServer.decisions).toMatchObject([sent, { proof: sent?.proof }]);
});

test('does not cover another address', async ({ ownServer, page, widgetPage }) => {
  await widgetPage.open(formTo(ownServer), open);
  await widgetPage.enter(JOE);
  await widgetPage.nextEvent('verified');
  await page.evaluate(() => {
    const form = document.querySelector('form') as HTMLFormElement;
    form.addEventListener('formdata', ({ formData }) => formData.set('email', 'ann@shop.example'));
  });
  await widgetPage.send.click();
  await expect.poll(() => ownServer.decisions).toMatchObject([{ because: 'other-address' }]);
});

/** What a request for a result of the address gets, besides the result. */
async function proofFor(service: MockService, origin: string, { email = JOE, key = 'live_public' } = {}) {
  const url = `${service.origin}/v1/verify?${new URLSearchParams({ email, api_key: key })}`;
  const { headers } = await fetch(url, { headers: { origin } });
  return headers.get('email-verify-proof') ?? '';
}

test('is refused if it is one of twelve false ones, or used before', async ({ ownServer, widgetPage }) => {
  const { page, service, site } = widgetPage;
  const origin = site.origin();
  const genuine = await proofFor(service, origin);
  const [head = '', body = '', tail = ''] = genuine.split('.');
  const decode = (part: string) => Buffer.from(part, 'base64url').toString();
  const encode = (part: string) => Buffer.from(part).toString('base64url');
  const header = JSON.parse(decode(head));
  const claims = JSON.parse(decode(body));
  const stranger = { ...(await makeKey()), kid: header.kid };
  const withHeader = (changes: object) =>
    signTexts(stranger, JSON.stringify({ ...header, ...changes }), decode(body));
  const elsewhere = await MockService.start();
  const kinds: Readonly<Record<string, readonly [because: string, proof: string]>> = {
    'of another address': ['other-address', await proofFor(service, origin, { email: 'ann@shop.example' })],
    'of another page': ['audience', await proofFor(service, 'https://evil.example')],
    'of another service': ['issuer', await proofFor(elsewhere, origin)],
    'of a test key': ['test-key', await proofFor(service, origin, { key: 'test_public' })],
    'by another key': ['signature', await sign(stranger, claims, header)],
    'with other claims': [
      'signature',
      `${head}.${encode(JSON.stringify({ ...claims, score: 100 }))}.${tail}`,
    ],
    'without a signature': ['malformed', new UnsecuredJWT(claimsOf(claims)).encode()],
    'with the algorithm none': [
      'malformed',
      `${encode(JSON.stringify({ ...header, alg: 'none' }))}.${body}.${tail}`,
    ],
    'with another algorithm': ['malformed', await withHeader({ alg: 'HS256' })],
    'of another type': ['malformed', await withHeader({ typ: 'JWT' })],
    'in another spelling': ['malformed', `${genuine}==`],
    'that is not one': ['malformed', 'proof'],
  };
  expect(Object.keys(kinds)).toHaveLength(12);
  await elsewhere.stop();

  await widgetPage.open(formTo(ownServer), open);
  await widgetPage.enter(JOE);
  await widgetPage.nextEvent('verified');
  const expected: string[] = [];
  const sendWith = async (because: string, proof?: string) => {
    await page.evaluate((value) => {
      const form = document.querySelector('form') as HTMLFormElement;
      form.onformdata = ({ formData }) => value !== undefined && formData.set('proof', value);
    }, proof);
    await widgetPage.send.click();
    expected.push(because);
    await expect.poll(() => ownServer.decisions.map((each) => each.because)).toEqual(expected);
  };
  for (const [kind, [because, proof]] of Object.entries(kinds))
    await test.step(kind, () => sendWith(because, proof));
  await test.step('the true one', () => sendWith('accepted_email'));
  await test.step('used before', () => sendWith('replayed'));
});
