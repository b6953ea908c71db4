/**
 * What a page that embeds the script can call when it refers to `email-verify-widget/global`, and with
 * `@ts-expect-error` what does not compile. Checked by `tsc`, never run.
 */
import type { EmailVerifyCommand } from '../../src/widget/global.ts';
import type { Detail } from '../../src/widget/index.ts';

declare const input: HTMLInputElement;
declare const element: Element;
declare const key: string | undefined;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(proof?: T) => proof;

// Options, by name or several
emailVerify('apiKey', 'test_public');
emailVerify('apiKey', key);
emailVerify('allow', { free: 'warn', role: undefined });
emailVerify('captcha', (field) => field.name);
emailVerify('statusAppendTo', element);
emailVerify({ apiKey: key, messages: { invalid: 'No.' } });
window.emailVerify?.('verifyOn', 'blur');
window.emailVerify('debug', true);
globalThis.emailVerify('baseUrl', '/verification');
// @ts-expect-error the name is apiKey
emailVerify('apikey', 'test_public');
// @ts-expect-error a number of milliseconds
emailVerify('verifyAfterDelay', '500');
// @ts-expect-error an option has a value
emailVerify('apiKey');
// @ts-expect-error the name is apiKey
emailVerify({ apikey: 'test_public' });
// @ts-expect-error neither true, false nor 'warn'
window.emailVerify?.('allow', { free: 'yes' });

// Commands and what they return
const verified = emailVerify('verify', input);
holds<Equal<typeof verified, Promise<Detail> | undefined>>();
const destroyed = emailVerify('destroy');
holds<Equal<typeof destroyed, void>>();
// @ts-expect-error while the queue stands in for the script, there is no promise
void verified.then();
// @ts-expect-error an input, not any element
void emailVerify('verify', element);
// @ts-expect-error there is no such command
emailVerify('install');

// The version, once the script is there
const { version } = emailVerify;
holds<Equal<typeof version, string | undefined>>();

// A loader in TypeScript can set up the queue, and another name
window.emailVerify ||= function queue() {
  // biome-ignore lint/complexity/noArguments: what the script expects
  emailVerify.q = [...(emailVerify.q ?? []), arguments];
  return undefined;
};
window.EmailVerifyObject = 'verifyMail';
declare const verifyMail: EmailVerifyCommand;
verifyMail('apiKey', 'test_public');
// @ts-expect-error a name is a text
window.EmailVerifyObject = verifyMail;
