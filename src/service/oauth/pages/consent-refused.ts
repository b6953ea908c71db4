/** Who may decide about apps, and the page for a signed-in person who may not. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MemberSettings } from '../../config/sections/members-section.ts';
import { sendErrorPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { may, RIGHTS } from '../../people/members/roles.ts';
import type { SignedInAccount } from '../../people/sessions/session-store.ts';
import type { Decider } from '../decisions.ts';

const RIGHT = 'manageKeys';

/** The account about which the signed-in person may decide. Undefined if there is none. */
export function accountToDecide(
  { browser }: FastifyRequest,
  members: MemberSettings,
): SignedInAccount | undefined {
  const account = browser.signedIn?.account;
  return account && may(account.role, RIGHT, members) ? account : undefined;
}

/** The signed-in person, who decides about this account. */
export function deciderOf({ browser }: FastifyRequest, { id: accountId }: SignedInAccount): Decider {
  const { personId, email } = browser.signedIn!;
  return { accountId, personId, email };
}

/** @param returnTo the path and query that lead back to the question */
export function sendMayNotDecide(reply: FastifyReply, site: Site, returnTo: string): FastifyReply {
  const account = reply.request.browser.signedIn?.account;
  const other = `/login?${new URLSearchParams({ other: 'account', return_to: returnTo })}`;
  return sendErrorPage(reply, site, {
    status: 403,
    title: 'Not allowed',
    message:
      account === undefined
        ? 'You are a member of no account, so you cannot let an app use one.'
        : `You may not ${RIGHTS[RIGHT].what} of the account of ${account.ownerEmail}. Ask an owner or an admin of the account to allow the app.`,
    more: html`<p><a class="button" href="${site.link(other)}">Use another account</a></p>`,
  });
}
