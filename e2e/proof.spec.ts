/** A form that carries the service's proof to a page's own server, which verifies it with `email-verify-widget/server`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'email-verify-widget/server';
import { test as base, expect, FORM, JOE } from './fixtures.ts';

/** What the server has decided about the forms that reached it. */
interface OwnServer {
  readonly url: string;
  readonly decisions: { readonly because: string; readonly proof: string | undefined }[];
}

const test = base.extend<{ ownServer: OwnServer }>({
  ownServer: async ({ service, site }, use) => {
    const decisions: OwnServer['decisions'] = [];
    const client = createClient({
      service: service.origin,
      key: 'test_private',
      origin: site.origin(),
      acceptTest: true,
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

const open = { options: { proofField: 'proof' } };
const formTo = ({ url }: OwnServer) => FORM.replace('/submit', url);

test('is accepted by the page’s own server, which asks the service for nothing but its keys', async ({
  ownServer,
  service,
  widgetPage,
}) => {
  await widgetPage.open(formTo(ownServer), open);
  await widgetPage.enter(JOE);
  const { detail } = await widgetPage.nextEvent('verified');
  const { proof } = (detail as { verificationData: { proof: string } }).verificationData;
  await widgetPage.send.click();
  await expect.poll(() => ownServer.decisions).toEqual([{ because: 'accepted_email', proof }]);
  expect(service.requests).toHaveLength(1);
});

test('is sent with a held submission', async ({ ownServer, service, widgetPage }) => {
  await widgetPage.sendWhilePending(JOE, formTo(ownServer), open);
  service.release();
  await expect.poll(() => ownServer.decisions).toMatchObject([{ because: 'accepted_email' }]);
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
