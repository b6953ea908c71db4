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

const noSuch = (
  provider: string,
  phrase: string,
  source: string,
  code: NonNullable<ProviderText['code']> = { subject: 7 },
): ProviderText => ({ provider, code, phrase, meaning: 'no-such-mailbox', source });

export const PROVIDER_TEXTS: readonly ProviderText[] = [
  // 5.7.x that means no such user.
  noSuch('Yandex', 'no such user', FROM.fieldManual),
  noSuch('Tutanota', 'recipient not found', FROM.turtl),
  noSuch('DESY', 'no such mailbox', FROM.desy),
  noSuch('SFR', 'user unknown', FROM.oneSystems),
  noSuch('Asahi Net', 'unknown user', FROM.asahiNet),
  noSuch('zone-mta', 'unknown recipient', FROM.zoneMta),
  noSuch('Trend Micro', 'rejected invalid recipient', FROM.fieldManual),
  noSuch('Proofpoint', 'address is marked as invalid', FROM.fieldManual),
  noSuch('Zerospam', 'not in recipient list', FROM.fieldManual),
  noSuch('Gmail', 'email doesnt exist', FROM.google),
  noSuch('Rambler', 'recipient address rejected inactive', FROM.fieldManual),
  noSuch('mailbox inactive', 'inactive mailbox', FROM.inactive),
  noSuch('qmail', 'no mailbox here by that name', FROM.bounceHandler),
  noSuch('qmail', 'that recipient doesnt exist', FROM.bounceHandler),
  // Directory-based edge blocking: the tenant has no such recipient.
  {
    provider: 'Microsoft',
    code: { subject: 4, detail: 1 },
    phrase: 'recipient address|addresses rejected access denied',
    soundsLikeUs: true,
    meaning: 'no-such-mailbox',
    source: FROM.zoneMta,
  },
  noSuch('Microsoft', 'mailbox unavailable', FROM.afterShip, { subject: 5, detail: 0 }),
  // The recipient access table and the LDAP query of Cisco's gateways.
  noSuch('Cisco', 'address|recipient rejected', FROM.dbMail, { subject: 1, detail: 0 }),
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
