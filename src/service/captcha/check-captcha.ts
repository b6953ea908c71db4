/** Checks a visitor's token with the captcha provider. */
import { Failure, Refusal } from '../core/failures.ts';
import { describeError, type Log } from '../core/log.ts';
import { type CaptchaEntry, SITEVERIFY_URLS } from './captcha-providers.ts';

const TIME_LIMIT_MS = 10_000;
/** Responses of providers have a few hundred bytes. This limit is far above that. */
const MAX_ANSWER_LENGTH = 64 * 1024;

/** Failures of the provider or of the configuration. Solving the captcha again does not help. */
const NOT_THE_VISITORS = [
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'internal-error',
];

export type CaptchaCheck = { readonly fetch: typeof fetch; readonly log: Log };

/**
 * Returns if the token is valid.
 *
 * @throws {Refusal} `captchaFailed` if the token is missing or invalid, `captchaUnavailable` if the provider cannot be
 * asked
 */
export async function checkCaptcha(
  { fetch, log }: CaptchaCheck,
  captcha: CaptchaEntry,
  token: string | undefined,
  ip: string,
  trustsOrigin: (origin: string) => boolean,
): Promise<void> {
  if (!token)
    throw new Refusal(
      'captcha_missing',
      'captchaFailed',
      'Expected captcha_response with the token of a solved captcha.',
    );
  let answer: Record<string, unknown>;
  try {
    answer = await askProvider(fetch, captcha, token, ip);
  } catch (error) {
    log('warn', 'captcha provider failed', { provider: captcha.provider, ...describeError(error) });
    throw new Failure('captchaUnavailable');
  }
  if (answer.success !== true) {
    const codes = [answer['error-codes']].flat();
    const cause = NOT_THE_VISITORS.find((code) => codes.includes(code));
    if (cause === undefined) throw new Refusal('captcha_failed', 'captchaFailed');
    log('error', 'captcha provider refused us', { provider: captcha.provider, cause });
    throw new Failure('captchaUnavailable');
  }
  // A valid token from another site's page does not count.
  const { hostname } = answer;
  if (typeof hostname === 'string' && hostname !== '' && !trustsOrigin(`https://${hostname}`))
    throw new Refusal('captcha_foreign', 'captchaFailed');
}

async function askProvider(
  fetch: CaptchaCheck['fetch'],
  { provider, secret, siteverifyUrl = SITEVERIFY_URLS[provider] }: CaptchaEntry,
  token: string,
  ip: string,
): Promise<Record<string, unknown>> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIME_LIMIT_MS);
  try {
    const response = await fetch(siteverifyUrl, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, remoteip: ip }),
      // A redirect would send the secret to another host.
      redirect: 'error',
      signal: controller.signal,
    });
    if (!response.ok) throw new RangeError(`status ${response.status}`);
    const answer: unknown = JSON.parse(await readBounded(response));
    if (typeof answer !== 'object' || answer === null) throw new TypeError('no JSON object');
    return answer as Record<string, unknown>;
  } finally {
    clearTimeout(timer);
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_ANSWER_LENGTH) throw new RangeError('an answer too long');
  }
  return text + decoder.decode();
}
