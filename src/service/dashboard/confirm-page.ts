/**
 * The page on which a signed-in person confirms who they are: by the second factor, or without one by the password, or
 * without both at the provider that they sign in at.
 */
import type { FastifyReply } from 'fastify';
import { clientIp } from '../http/client-ip.ts';
import { html } from '../pages/html.ts';
import { hidden, problem } from '../pages/page-layout.ts';
import { supportWords } from '../pages/support.ts';
import { confirmFactor } from '../people/factors/confirm-factor.ts';
import { FACTOR_FIELDS, factorForms, readFactor, wrongFactor } from '../people/factors/factor-forms.ts';
import { type Factors, factorsOf, hasSecondFactor } from '../people/factors/factor-store.ts';
import { canHavePasskeys, requestOptions } from '../people/factors/passkeys.ts';
import type { SentFactor } from '../people/factors/second-factor.ts';
import { tooMany } from '../people/factors/second-step-route.ts';
import { CONFIRMED_AT_PROVIDER } from '../people/provider/confirm-by-provider.ts';
import { readOwnCookie } from '../people/sessions/browser.ts';
import { formToken } from '../people/sessions/page-forms.ts';
import { confirmPassword } from '../people/sign-in/confirm-password.ts';
import { KNOWN_BROWSER } from '../people/sign-in/known-browser.ts';
import { refusalOf } from '../people/sign-in/sign-in-refusal.ts';
import type { Fields } from './form-fields.ts';
import { type DashboardDeps, type PersonVisit, pathOf } from './visit.ts';

const PASSWORD = 'confirm_password';

/** What a person has sent to confirm who they are. */
export type SentConfirmation = SentFactor | { readonly kind: 'password'; readonly text: string };

/** Tells the confirmation from what the person has typed before. */
export function readConfirmation(fields: Fields): {
  readonly sent: SentConfirmation | undefined;
  readonly rest: Fields;
} {
  const password = fields.get(PASSWORD);
  const sent =
    readFactor(fields) ?? (password === undefined ? undefined : { kind: 'password', text: password });
  const own = [PASSWORD, CONFIRMED_AT_PROVIDER, ...FACTOR_FIELDS];
  return { sent, rest: new Map([...fields].filter(([field]) => !own.includes(field))) };
}

/** Why a confirmation was refused. */
export interface Refused {
  readonly fault: string;
  /** What was wrong. Absent during a pause. */
  readonly wrong?: SentConfirmation['kind'];
}

/** Takes a confirmation, and sets the status of the response. @returns undefined if it was right */
export async function takeConfirmation(
  deps: DashboardDeps,
  { request, reply, person, site }: PersonVisit,
  sent: SentConfirmation,
): Promise<Refused | undefined> {
  const { value: cookie } = request.browser;
  const hasFactor = hasSecondFactor(await factorsOf(deps.db, person.id));
  if (sent.kind !== 'password') {
    const result = hasFactor ? await confirmFactor(deps, person, sent, cookie) : WRONG;
    if (result.kind === 'confirmed') return undefined;
    if (result.kind === 'wrong') {
      reply.code(422);
      return { fault: wrongFactor(sent), wrong: sent.kind };
    }
    reply.code(429).header('Retry-After', `${result.seconds}`);
    return { fault: tooMany(result.seconds) };
  }
  // A thief of the password has not got the second factor.
  if (hasFactor) {
    reply.code(403);
    return { fault: 'The password is not enough, because you have a second factor.' };
  }
  if (site.provider?.only) {
    reply.code(403);
    return { fault: `Passwords are not accepted here. Confirm with ${site.provider.name}.` };
  }
  const result = await confirmPassword(deps, {
    ...{ email: person.email, password: sent.text, ip: clientIp(request), cookie },
    browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
  });
  if (result.kind === 'confirmed') return undefined;
  const { status, fault, headers } = refusalOf(result, 'The password is wrong.');
  reply.code(status).headers(headers);
  return { fault, wrong: 'password' };
}

const WRONG = { kind: 'wrong' } as const;

export interface Question {
  /** Such as "create a key". */
  readonly purpose: string;
  /** What the person has typed before. It is kept. */
  readonly typed: Fields;
  readonly refused?: Refused;
}

export async function askToConfirm(
  deps: DashboardDeps,
  visit: PersonVisit,
  question: Question,
): Promise<FastifyReply> {
  const factors = await factorsOf(deps.db, visit.person.id);
  if (hasSecondFactor(factors)) return askFactor(deps, visit, factors, question);
  // A person who must not use a password may have forgotten it.
  const isByPassword = factors.hasPassword && !visit.site.provider?.only;
  return isByPassword ? askPassword(visit, question) : askProvider(visit, question);
}

const keptOf = ({ typed }: Question) => typed.size > 0 && html` What you have typed is kept.`;

async function askFactor(
  deps: DashboardDeps,
  { request, site, person, send }: PersonVisit,
  factors: Factors,
  question: Question,
): Promise<FastifyReply> {
  const { purpose, typed, refused } = question;
  const hasPasskeys = factors.passkeys > 0 && canHavePasskeys(deps);
  const { value } = request.browser;
  const options = hasPasskeys ? await requestOptions(deps, value, 'confirm', person.id) : undefined;
  const wrong = refused?.wrong === 'password' ? undefined : refused?.wrong;
  return send({
    title: 'Confirm that it is you',
    main: html`<h1>Confirm that it is you</h1>
${problem(refused?.fault, wrong === undefined)}
<p>To ${purpose}, confirm that it is you.${keptOf(question)}</p>
${factorForms(request, {
  ...{ action: site.link(pathOf(request)), kept: typed, factors, options, wrong },
  ...{ button: 'Continue', passkeyButton: 'Use a passkey' },
})}`,
  });
}

function askPassword({ request, site, person, send }: PersonVisit, question: Question) {
  const { purpose, typed, refused } = question;
  return send({
    title: 'Confirm your password',
    main: html`<h1>Confirm your password</h1>
${problem(refused?.fault)}
<p>You typed your password some time ago. To ${purpose}, type it again.${keptOf(question)}</p>
<form class="box" method="post" action="${site.link(pathOf(request))}">
${formToken(request)}
${hidden(typed)}
<input value="${person.email}" autocomplete="username" hidden>
<p class="field"><label for="password">Password</label>
<input id="password" name="${PASSWORD}" type="password" autocomplete="current-password" required autofocus${refused !== undefined && html` aria-describedby="problem" aria-invalid="true"`}></p>
<p><button class="primary">Continue</button></p>
</form>`,
  });
}

/** For a person without a password and without a second factor. */
function askProvider({ request, site, send }: PersonVisit, question: Question) {
  const { purpose, typed, refused } = question;
  const { confirmAtProvider } = request.server.signInWays;
  return send({
    title: 'Confirm that it is you',
    main: html`<h1>Confirm that it is you</h1>
${problem(refused?.fault, true)}
<p>To ${purpose}, confirm that it is you.${keptOf(question)}</p>
${
  confirmAtProvider?.(request, { path: pathOf(request), typed }) ??
  html`<p>You have neither a password nor a second factor. ${supportWords(site.support, 'Ask ', ' for a link to sign in again.')}</p>`
}`,
  });
}
