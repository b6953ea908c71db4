/** Says to a signed-in person what they may not do, or that they have no account. */
import type { FastifyReply } from 'fastify';
import { html } from '../pages/html.ts';
import { name } from '../pages/page-layout.ts';
import { supportWords } from '../pages/support.ts';
import { RIGHTS, type Right } from '../people/members/roles.ts';
import { sectionLink } from './dashboard-frame.ts';
import { type PersonVisit, pathOf } from './visit.ts';

export function sendForbidden(visit: PersonVisit, right: Right): Promise<FastifyReply> {
  const { reply, request, account, site, send } = visit;
  reply.code(403);
  if (account === undefined) return sendWithoutAccount(visit);
  return send({
    title: 'Not allowed',
    main: html`<h1>Not allowed</h1>
<p>You may not ${RIGHTS[right].what}, because you are ${A_ROLE[account.role]} of the account of ${name(account.ownerEmail)}. An owner of the account can change that.</p>
<p>${sectionLink(pathOf(request), site, visit.may)}</p>`,
  });
}

const A_ROLE = { owner: 'an owner', admin: 'an admin', member: 'a member', viewer: 'a viewer' } as const;

function sendWithoutAccount({ person, site, send }: PersonVisit): Promise<FastifyReply> {
  return send({
    title: 'No account',
    main: html`<h1>You have no account</h1>
<p>You are signed in as ${name(person.email)}, and a member of no account. Owners and admins of an account can invite you. Tell them this address.</p>
<p class="note">${supportWords(site.support, 'For an account of your own, ask ', '.')}</p>`,
  });
}
