/**
 * Texts of single providers that do not mean what their words or their code say. Only exact texts count: a code or word
 * that means "no such user" for one provider is a block for another.
 */
import type { EnhancedCode } from './enhanced-code.ts';
import { compilePhrases } from './phrases.ts';
import type { Meaning } from './reply.ts';
import { FROM } from './words/sources.ts';

export interface ProviderText {
  readonly provider: string;
  /** The enhanced code of class 5 that must come with the text. Without a detail, any detail matches. */
  readonly code?: { readonly subject: number; readonly detail?: number };
  readonly phrase: string;
  /** Its words would be about us elsewhere. They are removed before the search for words about us. */
  readonly soundsLikeUs?: true;
  readonly meaning: Extract<Meaning, 'no-such-mailbox' | 'mailbox-full'>;
  readonly source: string;
}

const POLICY_CODE = { subject: 7 };
const NO_SUCH = { code: POLICY_CODE, meaning: 'no-such-mailbox' } as const;

export const PROVIDER_TEXTS: readonly ProviderText[] = [
  // 5.7.x that means no such user.
  { ...NO_SUCH, provider: 'Yandex', phrase: 'no such user', source: FROM.fieldManual },
  { ...NO_SUCH, provider: 'Tutanota', phrase: 'recipient not found', source: FROM.turtl },
  { ...NO_SUCH, provider: 'DESY', phrase: 'no such mailbox', source: FROM.desy },
  { ...NO_SUCH, provider: 'SFR', phrase: 'user unknown', source: FROM.oneSystems },
  { ...NO_SUCH, provider: 'Asahi Net', phrase: 'unknown user', source: FROM.asahiNet },
  { ...NO_SUCH, provider: 'zone-mta', phrase: 'unknown recipient', source: FROM.zoneMta },
  { ...NO_SUCH, provider: 'Trend Micro', phrase: 'rejected invalid recipient', source: FROM.fieldManual },
  { ...NO_SUCH, provider: 'Proofpoint', phrase: 'address is marked as invalid', source: FROM.fieldManual },
  { ...NO_SUCH, provider: 'Zerospam', phrase: 'not in recipient list', source: FROM.fieldManual },
  { ...NO_SUCH, provider: 'Gmail', phrase: 'email doesnt exist', source: FROM.google },
  {
    ...NO_SUCH,
    provider: 'Rambler',
    phrase: 'recipient address rejected inactive',
    source: FROM.fieldManual,
  },
  { ...NO_SUCH, provider: 'mailbox inactive', phrase: 'inactive mailbox', source: FROM.inactive },
  { ...NO_SUCH, provider: 'qmail', phrase: 'no mailbox here by that name', source: FROM.bounceHandler },
  { ...NO_SUCH, provider: 'qmail', phrase: 'that recipient doesnt exist', source: FROM.bounceHandler },
  // Directory-based edge blocking: the tenant has no such recipient.
  {
    provider: 'Microsoft',
    code: { subject: 4, detail: 1 },
    phrase: 'recipient address|addresses rejected access denied',
    soundsLikeUs: true,
    meaning: 'no-such-mailbox',
    source: FROM.zoneMta,
  },
  {
    provider: 'Microsoft',
    code: { subject: 5, detail: 0 },
    phrase: 'mailbox unavailable',
    meaning: 'no-such-mailbox',
    source: FROM.afterShip,
  },
  // The recipient access table and the LDAP query of Cisco's gateways.
  {
    provider: 'Cisco',
    code: { subject: 1, detail: 0 },
    phrase: 'address|recipient rejected',
    meaning: 'no-such-mailbox',
    source: FROM.dbMail,
  },
  {
    provider: 'MessageLabs',
    phrase: 'recipient mailbox is not allowed',
    soundsLikeUs: true,
    meaning: 'no-such-mailbox',
    source: FROM.messageLabs,
  },
  {
    provider: 'web.de',
    phrase: 'too many messages on|in this|the server|mailbox',
    soundsLikeUs: true,
    meaning: 'mailbox-full',
    source: FROM.sitepackage,
  },
];

const COMPILED = PROVIDER_TEXTS.map((text) => ({
  text,
  pattern: compilePhrases([[text.phrase, text.source]]),
}));

export interface ProviderFinding {
  readonly text: ProviderText;
  /** The words that may still be about us. */
  readonly rest: string;
}

export function findProviderText(words: string, code: EnhancedCode | undefined): ProviderFinding | undefined {
  const found = COMPILED.find(({ text, pattern }) => fits(text, code) && pattern.test(words));
  return (
    found && { text: found.text, rest: found.text.soundsLikeUs ? words.replace(found.pattern, '') : words }
  );
}

function fits({ code }: ProviderText, found: EnhancedCode | undefined): boolean {
  if (code === undefined) return true;
  if (found?.class !== 5 || found.subject !== code.subject) return false;
  return code.detail === undefined || found.detail === code.detail;
}
