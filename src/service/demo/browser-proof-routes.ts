/**
 * The demo's page of the browser's own proof, with the server of a page that verifies a token, and a mail provider on
 * loopback. The provider starts with the first visit.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cookie from '@fastify/cookie';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { verifyEmailToken } from '../../server/email-token.ts';
import { type Finish, serveFolder } from '../files/serve-folder.ts';
import { bodyParameters } from '../http/parameters.ts';
import { pageHeaders } from '../http/security-headers.ts';
import { makeValue } from '../people/sessions/cookie-value.ts';
import { MAILBOX, type MailProvider, PROVIDER_URL, startMailProvider } from './mail-provider.ts';

export const BROWSER_PROOF_PATH = '/proof/browser';

const COOKIE = 'browser-proof';
/** How many visitors are remembered, before all are forgotten. */
const MOST_SESSIONS = 1000;

/** The page asks whether it can reach the provider. */
const HEADERS = pageHeaders({ 'connect-src': ["'self'", new URL(PROVIDER_URL).origin] });

export interface BrowserProofOptions {
  /** Of the page. */
  readonly folder: string;
  readonly finish: Finish;
}

export const browserProofRoutes: FastifyPluginAsync<BrowserProofOptions> = async (app, options) => {
  /** By the session. */
  const nonces = new Map<string, string>();
  let started: Promise<MailProvider> | undefined;
  const provider = () => {
    started ??= startMailProvider().catch((error: unknown) => {
      // The next request tries again.
      started = undefined;
      throw error;
    });
    return started;
  };

  const sessionOf = ({ cookies }: FastifyRequest) => cookies[COOKIE] ?? '';

  app.addHook('onClose', async () => {
    const running = await started?.catch(() => undefined);
    await running?.stop();
  });
  await app.register(cookie);
  app.get(`${BROWSER_PROOF_PATH}/session`, async (_request, reply) => {
    const { place, chromiumArguments } = await provider();
    // A browser that runs already takes no switches, so this one has a profile of its own.
    const profile = join(tmpdir(), `browser-proof-${place.replace(/.*:/, '')}`);
    const switches = [`--user-data-dir=${profile}`, ...chromiumArguments];
    if (nonces.size >= MOST_SESSIONS) nonces.clear();
    const [session, nonce] = [makeValue(), makeValue()];
    nonces.set(session, nonce);
    // Without a path, it is for this page alone, also behind a proxy's path.
    reply.setCookie(COOKIE, session, { httpOnly: true, sameSite: 'strict' });
    reply.header('Cache-Control', 'no-store');
    return { nonce, mailbox: MAILBOX, provider: PROVIDER_URL, switches };
  });
  app.post(`${BROWSER_PROOF_PATH}/submissions`, async (request) => {
    const form = await bodyParameters(request);
    const { resolve, fetch } = await provider();
    const nonce = nonces.get(sessionOf(request));
    nonces.delete(sessionOf(request));
    return verifyEmailToken(form.get('evt')?.[0], {
      email: form.get('email')?.[0],
      // Browsers trust pages without TLS only at these names.
      origin: ['localhost', '127.0.0.1'].map((host) => `http://${host}:${request.socket.localPort}`),
      ...{ nonce, resolve, fetch },
    });
  });
  serveFolder(app, BROWSER_PROOF_PATH, options.folder, HEADERS, options.finish);
};
