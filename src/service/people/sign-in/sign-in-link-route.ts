/** `/login/link/TOKEN`: a link of the operator, which lets a person in once. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { sendErrorPage, sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import { name, problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import type { Person } from '../persons/person-store.ts';
import { formToken, readForm } from '../sessions/page-forms.ts';
import { finishSignIn } from './finish-sign-in.ts';
import type { SignInRouteOptions, WithToken } from './sign-in.ts';
import { readSignInLink, SIGN_IN_LINK, spendLink } from './sign-in-links.ts';

const PATH = `${SIGN_IN_LINK}/:token`;

/**
 * A request for the page uses nothing up, because programs open links to show a preview of them: its button does.
 *
 * Must be registered in a scope of pages.
 */
export const signInLinkRoute: FastifyPluginAsync<SignInRouteOptions> = async (app, { site, deps }) => {
  app.get<WithToken>(PATH, async (request, reply) => {
    const person = await readSignInLink(deps.db, request.params.token);
    return person ? sendButton(reply, site, person) : sendGone(reply, site);
  });

  app.post<WithToken>(PATH, async (request, reply) => {
    const { token } = request.params;
    const { isOwn } = await readForm(request);
    if (!isOwn) {
      const person = await readSignInLink(deps.db, token);
      if (!person) return sendGone(reply, site);
      return sendButton(reply.code(403), site, person, 'The form was out of date. Try again.');
    }
    const person = await spendLink(deps.db, token);
    if (!person) return sendGone(reply, site);
    deps.log('info', 'sign-in link used', { person: person.id });
    return finishSignIn(deps, site, reply, { person, method: 'link', returnTo: undefined });
  });
};

function sendButton(reply: FastifyReply, site: Site, { email }: Person, fault?: string): FastifyReply {
  const { request } = reply;
  const main = html`<h1>Sign in</h1>
${problem(fault, true)}
<p>The operator of the service has made this link for ${name(email)}. It works once.</p>
<form class="box" method="post" action="${site.link(request.url)}">
${formToken(request)}
<button class="primary">Sign in</button>
</form>`;
  return sendPage(reply, site, { title: 'Sign in', main, top: { isPlain: true }, isNarrow: true });
}

/** The same for every link that does not work. */
const sendGone = (reply: FastifyReply, site: Site): FastifyReply =>
  sendErrorPage(reply, site, {
    status: 404,
    title: 'This link does not work',
    message:
      'It may be incomplete, or it was used already, or its ten minutes are over. Ask whoever gave it to you for a new one.',
    more: html`<p><a class="button" href="${site.link('/login')}">Sign in in another way</a></p>`,
  });
