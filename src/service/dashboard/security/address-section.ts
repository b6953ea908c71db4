/** Changes the address that the person signs in with. */
import type { FastifyReply } from 'fastify';
import { isAddress } from '../../../engine/address/syntax.ts';
import { clientIp } from '../../http/client-ip.ts';
import { type Html, html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import { emailKey } from '../../people/accounts/account-store.ts';
import { type Factors, factorsOf, hasSecondFactor } from '../../people/factors/factor-store.ts';
import { changeAddress } from '../../people/members/change-address.ts';
import { readOwnCookie } from '../../people/sessions/browser.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { KNOWN_BROWSER } from '../../people/sign-in/known-browser.ts';
import { refusalOf } from '../../people/sign-in/sign-in-refusal.ts';
import { type Fields, LONGEST_ADDRESS, textField } from '../form-fields.ts';
import { guard } from '../guarded-form.ts';
import { addAction, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { done, PATH, type Said, type SendSecurity, type Stored } from './security-section.ts';

const ACTION = `${PATH}/address`;
const FIELDS = { address: 'address', again: 'address_again', password: 'password' } as const;

/** Whether the form needs the password, so that a thief of the session cannot take the person's place. */
const needsPassword = ({ site }: PersonVisit, { hasPassword }: Factors): boolean =>
  hasPassword && !site.provider?.only;

/** The service sends no mail, so a mistyped address is only found by typing it twice. */
export function addressSection(visit: PersonVisit, { factors }: Stored, { fault, typed }: Said): Html {
  const { request, site, person } = visit;
  const own = fault?.section === 'address' ? fault : undefined;
  const shown = own && { field: own.field ?? FIELDS.address, message: own.text };
  const field = (label: string, name: string) =>
    textField({
      ...{ label, name, type: 'email', maxLength: LONGEST_ADDRESS, isRequired: true, fault: shown },
      value: typed?.get(name) ?? '',
    });
  return html`<section class="box" aria-labelledby="own-address">
<h2 id="own-address">Email address</h2>
<p>You sign in as <bdi>${person.email}</bdi>. If you change it, the addresses of your accounts stay as they are.</p>
${problem(own?.text)}
<form class="fields" method="post" action="${site.link(ACTION)}">
${formToken(request)}
${field('New email address', FIELDS.address)}
${field('New email address again', FIELDS.again)}
${
  needsPassword(visit, factors) &&
  html`<p class="field"><label for="address-password">Your password</label>
<input id="address-password" name="${FIELDS.password}" type="password" autocomplete="current-password" required${shown?.field === FIELDS.password && html` aria-describedby="problem" aria-invalid="true" autofocus`}></p>`
}
<p><button>Change email address</button></p>
</form></section>`;
}

export function addressAction(scope: DashboardScope, deps: DashboardDeps, send: SendSecurity): void {
  addAction(scope, ACTION, { right: 'own', back: PATH }, async (visit, fields) => {
    const factors = await factorsOf(deps.db, visit.person.id);
    // Without a second factor, the password in the form is the confirmation.
    if (needsPassword(visit, factors) && !hasSecondFactor(factors)) return change(visit, fields, factors);
    return guard(deps, visit, fields, {
      ...{ purpose: 'change your email address', secret: [FIELDS.password] },
      act: (typed) => change(visit, typed, factors),
      resume: (typed) => send(visit, { typed }),
    });
  });

  async function change(visit: PersonVisit, typed: Fields, factors: Factors): Promise<FastifyReply> {
    const refuse = (status: number, text: string, field: string = FIELDS.address) => {
      visit.reply.code(status);
      const said = `${text} The address was not changed.`;
      return send(visit, { fault: { section: 'address', text: said, field }, typed });
    };
    const [address, again] = [FIELDS.address, FIELDS.again].map((name) => (typed.get(name) ?? '').trim());
    if (address!.length > LONGEST_ADDRESS || !isAddress(address!))
      return refuse(422, 'Expected an email address such as ada@example.com.');
    if (again !== address)
      return refuse(422, 'The two addresses differ. Type the new one twice.', FIELDS.again);
    const { provider } = visit.site;
    // The person of the address would sign in there, and share this person's place. One who is known there is kept apart.
    const isProviders = emailKey(address!) !== emailKey(visit.person.email) && provider?.vouchesFor(address!);
    if (isProviders && !factors.hasProvider)
      return refuse(403, `Addresses of this domain belong to people who sign in with ${provider?.name}.`);
    const refused = needsPassword(visit, factors) && (await refusePassword(visit, typed));
    if (refused) {
      visit.reply.headers(refused.headers);
      return refuse(refused.status, refused.fault, FIELDS.password);
    }
    const changed = await changeAddress(deps.db, visit.person, address!);
    switch (changed.kind) {
      case 'changed':
        deps.log('info', 'address changed', { person: visit.person.id });
        return done(visit, 'address');
      case 'same':
        return done(visit, 'address-as-before');
      case 'taken':
        return refuse(409, 'This address cannot be used here. Choose another one.');
      case 'paused':
        visit.reply.header('Retry-After', `${changed.seconds}`);
        return refuse(
          429,
          `There were too many tries. Wait ${durationInWords(changed.seconds)}, then try again.`,
        );
    }
  }

  /** @returns undefined if the password is right */
  async function refusePassword({ request, person, site }: PersonVisit, typed: Fields) {
    const judged = await deps.passwords.judge({
      ...{ email: person.email, password: typed.get(FIELDS.password) ?? '', ip: clientIp(request) },
      browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
    });
    if (judged.kind !== 'right') return refusalOf(judged, 'The password is wrong.');
    await judged.forgive();
    return undefined;
  }
}
