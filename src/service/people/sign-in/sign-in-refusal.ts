/** Why a sign-in is refused, in words, and the form with them. */
import type { FastifyReply } from 'fastify';
import type { Site } from '../../pages/page-urls.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import type { Judged } from './passwords.ts';
import { type SignInForm, sendSignInForm } from './sign-in-form.ts';

interface Refused {
  readonly status: number;
  readonly fault: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The refusal of a sign-in. It is the same for an unknown address and a wrong password.
 *
 * @param wrong the message for a wrong password
 */
export function refusalOf(
  result: Exclude<Judged, { kind: 'right' }>,
  wrong = 'The email address or the password is wrong.',
): Refused {
  if (result.kind === 'wrong') return { status: 422, fault: wrong, headers: {} };
  const seconds = result.kind === 'paused' ? result.seconds : 2;
  const headers = { 'Retry-After': `${seconds}` };
  if (result.kind === 'busy')
    return { status: 503, fault: 'Many people are signing in. Try again in a moment.', headers };
  const fault = `There were too many tries. Wait ${durationInWords(seconds)}, then try again.`;
  return { status: 429, fault, headers };
}

/** Shows the form again. */
export function sendRefused(
  reply: FastifyReply,
  site: Site,
  result: Exclude<Judged, { kind: 'right' }>,
  form: Pick<SignInForm, 'returnTo' | 'email'>,
): FastifyReply {
  const { status, fault, headers } = refusalOf(result);
  return sendSignInForm(reply.code(status).headers(headers), site, { ...form, fault });
}
