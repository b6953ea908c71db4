/** `/login/oidc`: signing in through the OpenID provider, and its redirect URI. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../core/failures.ts';
import type { Deps } from '../../deps/deps.ts';
import { clientIp } from '../../http/client-ip.ts';
import { queryParameters } from '../../http/parameters.ts';
import type { NetworkRule } from '../../limits/network-limit.ts';
import { createStoredNetworkLimit } from '../../limits/stored-network-limit.ts';
import { sendErrorPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { readReturnAddress } from '../../pages/return-address.ts';
import { isValue } from '../sessions/cookie-value.ts';
import { readForm } from '../sessions/page-forms.ts';
import { finishSignIn } from '../sign-in/finish-sign-in.ts';
import { digestsOf } from '../sign-in/log-digests.ts';
import type { SignInDeps } from '../sign-in/sign-in.ts';
import { authorizationUrl, redirectUri } from './authorization-url.ts';
import { CONFIRM_FOR, confirmByProvider, sendConfirmed } from './confirm-by-provider.ts';
import { sendGoingOn } from './going-on-page.ts';
import { linkPerson } from './link-person.ts';
import type { Provider } from './provider.ts';
import { readAnswer, type Vouched } from './provider-answer.ts';
import { PROVIDER_PATHS } from './provider-paths.ts';
import { PROVIDER_REFUSALS, type ProviderRefusal } from './provider-refusals.ts';
import { putProviderSession } from './provider-store.ts';
import { type BegunRequest, beginRequest, type ResumedRequest, resumeRequest } from './sign-in-request.ts';

/** How many sign-ins a network may begin. Each is kept for ten minutes. */
const BEGUN: NetworkRule = { name: 'sign-ins at the provider', most: 10, seconds: 1 };

export interface ProviderRouteOptions {
  readonly site: Site;
  readonly deps: SignInDeps & Pick<Deps, 'log' | 'publicUrl'>;
  readonly provider: Provider;
}

/** Must be registered in a scope of pages. */
export const providerRoute: FastifyPluginAsync<ProviderRouteOptions> = async (app, options) => {
  const { site, deps, provider } = options;
  const { db, log } = deps;
  const { settings } = provider;
  const limit = createStoredNetworkLimit(db, BEGUN);

  function refuse(
    reply: FastifyReply,
    refusal: ProviderRefusal,
    details: Readonly<Record<string, string>> = {},
    email = reply.request.browser.signedIn?.email,
  ): FastifyReply {
    const { status, message, advice } = PROVIDER_REFUSALS[refusal];
    log('warn', 'sign-in refused', {
      ...{ reason: `provider ${refusal}`, ...digestsOf({ email, ip: clientIp(reply.request) }) },
      ...{ ...details, advice },
    });
    const { signedIn } = reply.request.browser;
    const [path, words] = signedIn ? ['/dashboard/', 'Dashboard'] : ['/login', 'Sign in'];
    return sendErrorPage(reply, site, {
      ...{ status, title: 'Not signed in', message: message(settings.name) },
      more: html`<p><a class="button" href="${site.link(path!)}">${words!}</a></p>`,
    });
  }

  /** @returns the URL at the provider. Undefined if it cannot be reached */
  async function begin(request: FastifyRequest, begun: BegunRequest): Promise<string | undefined> {
    const seconds = await limit.count(clientIp(request));
    if (seconds > 0) throw new Failure('tooManyRequests', undefined, { 'Retry-After': String(seconds) });
    const found = await provider.find();
    if (!found) return undefined;
    const secrets = await beginRequest(db, begun);
    return authorizationUrl(found, deps.publicUrl, secrets, {
      isConfirmation: begun.personId !== undefined,
      claim: settings.account?.claim,
    });
  }

  app.get(PROVIDER_PATHS.begin, async (request, reply) => {
    const values = queryParameters(request).get('return_to');
    const returnTo = readReturnAddress(values?.length === 1 ? String(values[0]) : undefined);
    const url = await begin(request, { cookie: request.browser.value, returnTo });
    return url === undefined ? refuse(reply, 'away') : reply.redirect(url, 303);
  });

  app.post(PROVIDER_PATHS.begin, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    if (!isOwn) return refuse(reply, 'state');
    const begun = fields.has(CONFIRM_FOR)
      ? confirmationOf(request, fields)
      : { returnTo: readReturnAddress(fields.get('return_to')) };
    // The session has ended since the form was shown.
    if (!begun) return refuse(reply, 'state');
    const url = await begin(request, { cookie: request.browser.value, ...begun });
    return url === undefined ? refuse(reply, 'away') : sendGoingOn(reply, site, settings.name, url);
  });

  app.get(PROVIDER_PATHS.callback, async (request, reply) => {
    const values = queryParameters(request).get('state');
    const state = values?.length === 1 ? String(values[0]) : undefined;
    const resumed = isValue(state) ? await resumeRequest(db, request.browser.value, state) : undefined;
    if (!resumed) return refuse(reply, 'state');
    const found = await provider.find();
    if (!found) return refuse(reply, 'away');
    const url = new URL(redirectUri(deps.publicUrl));
    url.search = request.url.replace(/^[^?]*/s, '');
    const answer = await readAnswer(found, url, resumed, settings.account?.claim);
    if (answer.kind === 'refused') return refuse(reply, answer.refusal, answer.details);
    const { vouched } = answer;
    if (resumed.personId === undefined) return signIn(reply, resumed, vouched);
    const refusal = await confirmByProvider(db, request, resumed, vouched);
    return refusal ? refuse(reply, refusal) : sendConfirmed(reply, site, resumed);
  });

  async function signIn(reply: FastifyReply, { returnTo }: ResumedRequest, vouched: Vouched) {
    const linked = await linkPerson(db, settings, vouched);
    if (linked.kind === 'refused') return refuse(reply, linked.refusal, {}, vouched.email);
    const { person } = linked;
    return finishSignIn(deps, site, reply, {
      ...{ person, method: 'provider', returnTo },
      alsoStore: (transaction, sessionId) => putProviderSession(transaction, sessionId, vouched),
    });
  }
};

/** @returns undefined if nobody is signed in */
function confirmationOf(
  { browser }: FastifyRequest,
  fields: ReadonlyMap<string, string>,
): Omit<BegunRequest, 'cookie'> | undefined {
  return (
    browser.signedIn && {
      personId: browser.signedIn.personId,
      returnTo: readReturnAddress(fields.get(CONFIRM_FOR)),
      typed: new Map([...fields].filter(([field]) => field !== CONFIRM_FOR)),
    }
  );
}
