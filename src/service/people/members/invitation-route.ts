/**
 * `/invitation/TOKEN`: accepts an invitation, by signing in or by making a password.
 *
 * The page has both ways for every address, so that the link alone does not tell whether a person has it.
 */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { sendErrorPage, sendPage } from '../../pages/error-page.ts';
import { type Html, html } from '../../pages/html.ts';
import { name, problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { emailKey } from '../accounts/account-store.ts';
import { ownNames } from '../passwords/own-names.ts';
import { findPasswordFault, PASSWORD_FAULTS, PASSWORD_RULES } from '../passwords/password-rules.ts';
import { formToken, readForm } from '../sessions/page-forms.ts';
import { chooseAccount } from '../sessions/session-store.ts';
import { finishSignIn, HOME } from '../sign-in/finish-sign-in.ts';
import type { SignInRouteOptions, WithToken } from '../sign-in/sign-in.ts';
import { sendSignInForm } from '../sign-in/sign-in-form.ts';
import type { FoundInvitation } from './invitation-store.ts';
import { acceptAsNewPerson, acceptInvitation, INVITATION, readInvitation } from './invitations.ts';
import { asRole, ROLE_RIGHTS } from './role-words.ts';

const PATH = `${INVITATION}/:token`;

/** Must be registered in a scope of pages. */
export const invitationRoute: FastifyPluginAsync<SignInRouteOptions> = async (app, { site, deps }) => {
  const { db, log } = deps;

  app.get<WithToken>(PATH, async (request, reply) => {
    const found = await readInvitation(db, request.params.token);
    return found ? sendInvitation(reply, site, found) : sendGone(reply, site);
  });

  app.post<WithToken>(PATH, async (request, reply) => {
    const { token } = request.params;
    const { fields, isOwn } = await readForm(request);
    const found = await readInvitation(db, token);
    if (found && !isOwn) return sendInvitation(reply.code(403), site, found, OUT_OF_DATE);
    if (found) await deps.untilUnlocked(found.accountId);
    const { signedIn } = request.browser;
    if (signedIn && isOwn) {
      const person = { id: signedIn.personId, email: signedIn.email };
      const accepted = await acceptInvitation(db, token, person);
      if (accepted.kind === 'gone') return sendGone(reply, site);
      if (accepted.kind === 'other person') return sendOther(reply, site, found!);
      await chooseAccount(db, signedIn.sessionId, accepted.accountId);
      log('info', 'invitation accepted', { account: accepted.accountId, person: person.id });
      return reply.redirect(site.link(HOME), 303);
    }
    return found ? makePassword(reply, found, fields.get('password')) : sendGone(reply, site);
  });

  /** Why a new password is refused. The account's name is no secret, because the page shows it. */
  async function faultOf(password: string, { email, ownerEmail }: FoundInvitation) {
    const names = ownNames({ emails: [email, ownerEmail], publicUrl: deps.settings.publicUrl });
    const fault = await findPasswordFault(password, names);
    return fault && `${PASSWORD_FAULTS[fault]} Nothing was changed.`;
  }

  async function makePassword(reply: FastifyReply, found: FoundInvitation, password: string | undefined) {
    const { request } = reply;
    const { token } = request.params as { token: string };
    const returnTo = linkOf(request);
    if (password === undefined || mustSignIn(site, found))
      return sendSignInForm(reply.code(403), site, { returnTo, email: found.email });
    const fault = await faultOf(password, found);
    if (fault !== undefined) return sendInvitation(reply.code(422), site, found, fault);
    const passwordHash = await deps.passwords.hash(password, found.id);
    if (passwordHash === 'busy') {
      reply.code(503).header('Retry-After', '2');
      return sendInvitation(reply, site, found, 'Many people are signing in. Try again in a moment.');
    }
    const person = await acceptAsNewPerson(db, token, passwordHash);
    if (person === 'gone') return sendGone(reply, site);
    if (person === 'exists')
      return sendSignInForm(reply.code(422), site, { returnTo, email: found.email, fault: EXISTS });
    log('info', 'invitation accepted', { account: found.accountId, person: person.id });
    return finishSignIn(deps, site, reply, { person, method: 'invitation', returnTo: undefined });
  }
};

const OUT_OF_DATE = 'The form was out of date. Try again.';

/** Whoever reads it has typed a password, which would have used the invitation up if nobody had the address. */
const EXISTS =
  'No password was made. Sign in with the password that you have here already. Then you can accept the invitation.';

function sendInvitation(reply: FastifyReply, site: Site, found: FoundInvitation, fault?: string) {
  const { request } = reply;
  const { signedIn } = request.browser;
  if (signedIn && !isFor(found, signedIn.email)) return sendOther(reply, site, found);
  const { email, role, inviter, ownerEmail } = found;
  const main = html`<h1>Invitation</h1>
${problem(fault, signedIn !== undefined)}
<p>${name(inviter)} invites ${name(email)} to the account ${name(ownerEmail)} as ${asRole(role)}, who ${ROLE_RIGHTS[role]}.</p>
${signedIn ? acceptForm(request, site) : waysIn(request, site, found, fault)}`;
  return sendPage(reply, site, { title: 'Invitation', main, top: { isPlain: true }, isNarrow: true });
}

const acceptForm = (request: FastifyRequest, site: Site): Html =>
  html`<form class="box" method="post" action="${site.link(linkOf(request))}">
${formToken(request)}
<p>You are signed in as ${name(request.browser.signedIn!.email)}.</p>
<p><button class="primary">Accept</button></p>
</form>`;

/**
 * Whether there is no other way than the sign-in. If the provider vouches for the address, whoever has the link could make
 * a password for it, and share the place of the person who signs in at the provider later.
 */
const mustSignIn = ({ provider }: Site, { email }: FoundInvitation): boolean =>
  provider !== undefined && (provider.only || provider.vouchesFor(email));

/** Both ways, whether a person has the address or not. */
function waysIn(request: FastifyRequest, site: Site, found: FoundInvitation, fault?: string): Html {
  const { email } = found;
  const signIn = `/login?${new URLSearchParams({ return_to: linkOf(request) })}`;
  const wrong = fault !== undefined && html` aria-invalid="true" autofocus`;
  if (mustSignIn(site, found)) {
    return html`<p>Sign in as ${name(email)}. Then you can accept the invitation.</p>
<p><a class="button primary" href="${site.link(signIn)}">Sign in</a></p>`;
  }
  return html`<section class="box" aria-labelledby="known">
<h2 id="known">If you have signed in here before</h2>
<p>Sign in as ${name(email)}. Then you can accept the invitation.</p>
<p><a class="button" href="${site.link(signIn)}">Sign in</a></p>
</section>
<section class="box" aria-labelledby="new">
<h2 id="new">If you are new here</h2>
<form class="fields" method="post" action="${site.link(linkOf(request))}">
${formToken(request)}
<p>Make a password. You will sign in with it and ${name(email)}.</p>
<input value="${email}" autocomplete="username" hidden>
<p class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required aria-describedby="${fault === undefined ? '' : 'problem '}password-rule"${wrong}></p>
<p class="note" id="password-rule">${PASSWORD_RULES}</p>
<p><button class="primary">Accept</button></p>
</form>
</section>`;
}

/** The path of the link. */
const linkOf = ({ params }: FastifyRequest): string =>
  `${INVITATION}/${(params as WithToken['Params']).token}`;

/** The same for every link that does not work: it does not tell whether it ever did. */
function sendGone(reply: FastifyReply, site: Site): FastifyReply {
  const next = reply.request.browser.signedIn
    ? html`<a class="button" href="${site.link(HOME)}">Go to the dashboard</a>`
    : html`<a class="button" href="${site.link('/login')}">Sign in</a>`;
  return sendErrorPage(reply, site, {
    status: 404,
    title: 'This invitation does not work',
    message:
      'The link may be incomplete. Or the invitation was accepted already, has ended, or was withdrawn. Ask whoever invited you for a new one.',
    more: html`<p>${next}</p>`,
  });
}

function sendOther(reply: FastifyReply, site: Site, { email }: FoundInvitation): FastifyReply {
  const { request } = reply;
  const query = new URLSearchParams({ return_to: linkOf(request), other: 'account' });
  const main = html`<h1>This invitation is for another person</h1>
<p tabindex="-1" autofocus>The invitation is for ${name(email)}, and you are signed in as ${name(request.browser.signedIn!.email)}. Nothing was changed.</p>
<ul>
<li>If both addresses are yours, <a href="${site.link(`/login?${query}`)}">sign in as ${name(email)}</a>.</li>
<li>If you are new here, sign out and open the link again.</li>
</ul>
<form method="post" action="${site.link('/logout')}">${formToken(request)}<button>Sign out</button></form>`;
  const top = { isPlain: true };
  return sendPage(reply.code(403), site, { title: 'Not your invitation', main, top, isNarrow: true });
}

const isFor = ({ email }: FoundInvitation, address: string): boolean => emailKey(email) === emailKey(address);
