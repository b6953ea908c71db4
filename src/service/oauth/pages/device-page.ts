/** `/oauth/device`: asks for the code that a device shows, and whether the device may use the account (RFC 8628). */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { siteOf } from '../../../shared/ip.ts';
import type { MemberSettings } from '../../config/sections/members-section.ts';
import { Failure } from '../../core/failures.ts';
import type { Deps } from '../../deps/deps.ts';
import { clientIp } from '../../http/client-ip.ts';
import { queryParameters } from '../../http/parameters.ts';
import { sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import { name, outcome, problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import { formToken, readForm } from '../../people/sessions/page-forms.ts';
import type { SignedInAccount } from '../../people/sessions/session-store.ts';
import { countGuesses, type GuessRule, type GuessSubject, takeBack } from '../../people/sign-in/guesses.ts';
import { sendSignInForm } from '../../people/sign-in/sign-in-form.ts';
import { decideDevice, findDeviceRequest } from '../decisions.ts';
import type { DeviceRequest } from '../grants.ts';
import { consentForm, isAnswerTo } from './consent-form.ts';
import { accountToDecide, deciderOf, sendMayNotDecide } from './consent-refused.ts';

const PATH = '/oauth/device';
/**
 * There are 20^8 codes, and each lives for minutes. Guessing with ten tries per session is hopeless (RFC 8628, section
 * 5.1).
 */
const PER_SESSION: GuessRule = { free: 10, firstPause: 60, longestPause: 900 };
/** Limits people who sign in again to get a new session. Many people may share an IP address, so this limit is higher. */
const PER_NETWORK: GuessRule = { free: 50, firstPause: 60, longestPause: 900 };

export interface DevicePageOptions {
  readonly site: Site;
  readonly deps: Pick<Deps, 'db' | 'settings' | 'untilUnlocked'>;
}

/** Must be registered in a scope of pages. */
export const devicePage: FastifyPluginAsync<DevicePageOptions> = async (app, { site, deps }) => {
  const { db, settings } = deps;
  const { members } = settings;

  app.get(PATH, async (request, reply) => {
    const values = queryParameters(request).get('user_code');
    const userCode = values?.length === 1 ? String(values[0]) : '';
    return sendCodeForm(reply, site, { userCode, members });
  });

  app.post(PATH, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const userCode = fields.get('user_code') ?? '';
    const { signedIn } = request.browser;
    if (!isOwn || !signedIn) {
      const fault = signedIn ? 'The page was out of date. Press Continue again.' : SESSION_ENDED;
      return sendCodeForm(reply.code(403), site, { userCode, fault, members });
    }
    const account = accountToDecide(request, members);
    if (!account) return sendMayNotDecide(reply, site, returnPath(userCode));
    const found = await find(request, userCode);
    if (typeof found === 'number') {
      const fault = `There were too many wrong codes. Wait ${durationInWords(found)}, then try again.`;
      reply.code(429).header('Retry-After', `${found}`);
      return sendCodeForm(reply, site, { userCode, fault, members });
    }
    const decision = fields.get('decision');
    if (!found) {
      const fault = decision === undefined ? UNKNOWN_CODE : DECIDED_BEFORE;
      return sendCodeForm(reply.code(422), site, { userCode, fault, members });
    }
    if (decision === undefined) return sendQuestion(reply, site, account, found);
    if (!isAnswerTo(request, fields, { app: found.app, target: found.userCode }))
      return sendQuestion(reply.code(403), site, account, found, true);
    if (decision !== 'allow' && decision !== 'deny')
      throw new Failure('badRequest', 'Expected the decision to be allow or deny.');
    const isAllowed = decision === 'allow';
    await deps.untilUnlocked(account.id);
    if (!(await decideDevice(db, found.userCode, deciderOf(request, account), isAllowed)))
      return sendCodeForm(reply.code(422), site, { userCode: '', fault: DECIDED_BEFORE, members });
    return sendDecided(reply, site, found, isAllowed);
  });

  /** @returns the seconds of a pause, if there were too many wrong codes */
  async function find(request: FastifyRequest, code: string): Promise<DeviceRequest | undefined | number> {
    const subjects: [GuessSubject, GuessSubject] = [
      { name: `device session: ${request.browser.value}`, rule: PER_SESSION },
      { name: `device network: ${siteOf(clientIp(request))}`, rule: PER_NETWORK },
    ];
    const seconds = await countGuesses(db, subjects);
    if (seconds > 0) return seconds;
    const found = await findDeviceRequest(db, code);
    if (found) for (const subject of subjects) await takeBack(db, subject);
    return found;
  }
};

const UNKNOWN_CODE = 'The code is wrong, or it has expired. Check the code on your device.';
/** Usually after a double click or a reload, when the device is already connected. */
const DECIDED_BEFORE =
  'The code has expired or was already used, so this changed nothing. If you decided before, that decision holds. Check your device: it may be connected already.';
const SESSION_ENDED = 'Your session has ended, so your decision was not saved. Sign in, then decide again.';

const returnPath = (userCode: string): string =>
  userCode === '' ? PATH : `${PATH}?${new URLSearchParams({ user_code: userCode })}`;

interface CodeForm {
  readonly userCode: string;
  readonly fault?: string | undefined;
  readonly members: MemberSettings;
}

function sendCodeForm(reply: FastifyReply, site: Site, { userCode, fault, members }: CodeForm): FastifyReply {
  const { request } = reply;
  const returnTo = returnPath(userCode);
  if (!request.browser.signedIn) {
    const reason = html`Sign in to connect a device with your account.`;
    return sendSignInForm(reply, site, { returnTo, reason, fault });
  }
  if (!accountToDecide(request, members)) return sendMayNotDecide(reply, site, returnTo);
  const main = html`<h1>Connect a device</h1>
<p>Enter the code that your device shows. Continue only if you started this on your own device.</p>
${problem(fault)}
<form class="box" method="post" action="${site.link(PATH)}">
${formToken(request)}
<p class="field"><label for="code">Code</label>
<input id="code" class="code" name="user_code" value="${userCode}" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus${fault !== undefined && html` aria-describedby="problem" aria-invalid="true"`}></p>
<button class="primary">Continue</button>
</form>`;
  return sendPage(reply, site, { title: 'Connect a device', main, top: { isPlain: true }, isNarrow: true });
}

function sendQuestion(
  reply: FastifyReply,
  site: Site,
  { ownerEmail }: SignedInAccount,
  { app, userCode }: DeviceRequest,
  isAgain = false,
): FastifyReply {
  const fields: [string, string][] = [['user_code', userCode]];
  const hint = html`<p>Look at your device: it must show this code. If it shows another one, or if somebody sent you the code, press Deny.</p>
<p><code class="code">${userCode}</code></p>`;
  const returnTo = `${PATH}?${new URLSearchParams(fields)}`;
  const question = { app, ownerEmail, path: PATH, fields, returnTo, hint, isAgain, target: userCode };
  const main = consentForm(reply.request, site, question);
  return sendPage(reply, site, { title: `Allow ${app.name}?`, main, top: { isPlain: true } });
}

function sendDecided(reply: FastifyReply, site: Site, { app }: DeviceRequest, isAllowed: boolean) {
  const main = isAllowed
    ? html`<h1>The device is connected</h1>
${outcome(html`The app ${name(app.name)} may use your account. Go back to your device.`)}`
    : html`<h1>You denied the request</h1>
<p tabindex="-1" autofocus>The app ${name(app.name)} may not use your account. You can close this page.</p>`;
  const title = isAllowed ? 'Connected' : 'Denied';
  return sendPage(reply, site, { title, main, top: { isPlain: true }, isNarrow: true });
}
