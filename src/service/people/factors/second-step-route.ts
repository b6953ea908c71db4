/** The second step of a sign-in, and the sign-in with a passkey alone. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../../shared/sha256.ts';
import { Failure } from '../../core/failures.ts';
import { clientIp } from '../../http/client-ip.ts';
import type { Site } from '../../pages/page-urls.ts';
import { readReturnAddress } from '../../pages/return-address.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import { findPersonById, type Person } from '../persons/person-store.ts';
import { readForm } from '../sessions/page-forms.ts';
import { finishSignIn, HOME } from '../sign-in/finish-sign-in.ts';
import { digestsOf, ONLY_PROVIDER } from '../sign-in/log-digests.ts';
import type { SignInDeps, SignInRouteOptions } from '../sign-in/sign-in.ts';
import { PASSKEY_PATH, sendSignInForm } from '../sign-in/sign-in-form.ts';
import { readFactor, wrongFactor } from './factor-forms.ts';
import { factorsOf, hasSecondFactor } from './factor-store.ts';
import { endHalfSignIn } from './half-sign-in-store.ts';
import { type BegunSignIn, beginHalfSignIn, readHalfSignIn } from './half-sign-ins.ts';
import { canHavePasskeys, checkPasskey, requestOptions } from './passkeys.ts';
import { FEW_CODES } from './recovery-codes.ts';
import { type JudgedFactor, judgeFactor, type SentFactor } from './second-factor.ts';
import { SECOND_STEP, type SecondStep, sendSecondStep } from './second-step-page.ts';

/** Where people make new recovery codes. */
const FEW_LEFT = '/dashboard/security?done=code-used#said';

/** Goes on after the right password: to the second step, or for a person without a second factor to the end. */
export async function afterPassword(
  deps: SignInDeps,
  site: Site,
  reply: FastifyReply,
  { person, returnTo }: BegunSignIn,
): Promise<FastifyReply> {
  if (!hasSecondFactor(await factorsOf(deps.db, person.id)))
    return finishSignIn(deps, site, reply, { person, method: 'password', returnTo });
  await beginHalfSignIn(deps.db, site, reply, { person, returnTo });
  return reply.redirect(site.link('/login'), 303);
}

/** Shows the second step, if this browser is there. */
export async function showSecondStep(
  deps: SignInDeps,
  site: Site,
  reply: FastifyReply,
  fault?: SecondStep['fault'],
): Promise<FastifyReply | undefined> {
  const { request } = reply;
  const half = await readHalfSignIn(deps.db, request);
  if (!half) return undefined;
  const factors = await factorsOf(deps.db, half.person.id);
  // The operator has reset the second factor meanwhile.
  if (!hasSecondFactor(factors)) return undefined;
  const hasPasskeys = factors.passkeys > 0 && canHavePasskeys(deps);
  const { value } = request.browser;
  const options = hasPasskeys ? await requestOptions(deps, value, 'confirm', half.person.id) : undefined;
  return sendSecondStep(reply, site, { factors, options, fault });
}

/** Must be registered in a scope of pages. */
export const secondStepRoute: FastifyPluginAsync<SignInRouteOptions> = async (app, { site, deps }) => {
  const { db, log } = deps;

  app.post(SECOND_STEP, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const half = isOwn ? await readHalfSignIn(db, request) : undefined;
    if (!half) {
      const fault = 'The sign-in has ended, because ten minutes are over. Sign in again.';
      return sendSignInForm(reply.code(403), site, { returnTo: undefined, fault });
    }
    const sent = readFactor(fields);
    if (!sent) throw new Failure('badRequest', 'Expected a code or a passkey, got neither.');
    const { person, returnTo } = half;
    const judged = await judgeFactor(deps, person, sent, request.browser.value);
    if (judged.kind !== 'right') return refuse(reply, person, sent, judged);
    // It is completed once, however many requests come.
    if (!(await endHalfSignIn(db, digestOf(request.browser.value))))
      return reply.redirect(site.link('/login'), 303);
    const { left } = judged;
    // Whoever comes from the page of an app goes on there. The notice at the next sign-in names the code.
    const isElsewhere = returnTo !== undefined && !returnTo.startsWith(HOME);
    const next = !isElsewhere && left !== undefined && left <= FEW_CODES ? FEW_LEFT : returnTo;
    const method = sent.kind === 'recovery-code' ? sent.kind : 'second-factor';
    return finishSignIn(deps, site, reply, { person, method, returnTo: next });
  });

  async function refuse(
    reply: FastifyReply,
    person: Person,
    sent: SentFactor,
    judged: Exclude<JudgedFactor, { kind: 'right' }>,
  ): Promise<FastifyReply> {
    const isPaused = judged.kind === 'paused';
    const seconds = isPaused ? judged.seconds : undefined;
    logRefusal(reply.request, isPaused ? 'second factor paused' : 'second factor wrong', {
      ...{ email: person.email, seconds },
    });
    const fault = isPaused ? { text: tooMany(judged.seconds) } : { text: wrongFactor(sent), kind: sent.kind };
    reply.code(isPaused ? 429 : 422);
    if (seconds !== undefined) reply.header('Retry-After', `${seconds}`);
    return (
      (await showSecondStep(deps, site, reply, fault)) ??
      sendSignInForm(reply, site, { returnTo: undefined, fault: fault.text })
    );
  }

  app.get(PASSKEY_PATH, async (request, reply) => {
    if (!canHavePasskeys(deps)) throw new Failure('notFound');
    return reply
      .header('Cache-Control', 'no-store')
      .send(await requestOptions(deps, request.browser.value, 'sign in'));
  });

  app.post(PASSKEY_PATH, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const returnTo = readReturnAddress(fields.get('return_to'));
    if (site.provider?.only) {
      logRefusal(request, 'passkey not accepted');
      const fault = `Passkeys are not accepted here. Sign in with ${site.provider.name}.`;
      return sendSignInForm(reply.code(403), site, { returnTo, fault });
    }
    const text = fields.get('passkey') ?? '';
    const sent = { text, browser: request.browser.value, purpose: 'sign in' } as const;
    const personId = isOwn ? await checkPasskey(deps, sent) : undefined;
    const person = personId === undefined ? undefined : await findPersonById(db, personId);
    if (person) return finishSignIn(deps, site, reply, { person, method: 'passkey', returnTo });
    logRefusal(request, 'passkey');
    const fault = 'The passkey was not accepted. Try again, or sign in with your password.';
    return sendSignInForm(reply.code(isOwn ? 422 : 403), site, { returnTo, fault });
  });

  function logRefusal(
    request: FastifyRequest,
    reason: keyof typeof ADVICE,
    { email, seconds }: { email?: string; seconds?: number | undefined } = {},
  ): void {
    log(seconds === undefined ? 'info' : 'warn', 'sign-in refused', {
      ...{ reason, ...digestsOf({ email, ip: clientIp(request) }) },
      ...(seconds !== undefined && { seconds }),
      advice: ADVICE[reason],
    });
  }
};

export const tooMany = (seconds: number): string =>
  `There were too many wrong codes. Wait ${durationInWords(seconds)}, then try again. A passkey or a recovery code works at once.`;

/** What the operator can do. */
const ADVICE = {
  'second factor wrong':
    'One such line is a typing mistake, and several can come from a phone with a wrong clock. Whoever sends these codes knows the password. If it is not the person, run "admin person password". For a person who has lost the factor, run "admin person reset-second-factor".',
  'second factor paused':
    'Whoever sends these codes knows the password. If it is not the person, run "admin person password". The person can sign in at once with a passkey or a recovery code.',
  passkey:
    'The passkey may have been removed here, or belong to another host than that of publicUrl, or the page was open too long. The person can sign in with the password, and add a new passkey. If many lines have this network, block it at the reverse proxy.',
  'passkey not accepted': ONLY_PROVIDER,
};
