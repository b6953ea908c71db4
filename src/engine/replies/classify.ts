/**
 * Finds out what a reply says about the mailbox, if anything.
 *
 * The order of the steps matters, and each step has a real reply as its reason. A fault of ours, of the network or of our
 * reputation never condemns an address. In doubt, a reply says nothing.
 */
import { type CleanReply, cleanReply } from './clean.ts';
import { type EnhancedCode, findEnhancedCode } from './enhanced-code.ts';
import { compilePhrases } from './phrases.ts';
import { findProviderText, type ProviderFinding } from './providers.ts';
import type { Meaning, Reading, Reply, ReplyContext } from './reply.ts';
import { ABOUT_US } from './words/about-us.ts';
import { BLOCK_LISTS } from './words/blocks.ts';
import { FAULT, OUT_OF_SEQUENCE, RECIPIENT_VERIFIED, SERVER_FULL, WAIT } from './words/faults.ts';
import { FULL } from './words/full.ts';
import {
  MAILBOX_BLOCKED,
  UNKNOWN,
  UNKNOWN_ELSEWHERE,
  UNKNOWN_RECIPIENT,
  UNSUPPORTED,
} from './words/unknown.ts';

const PATTERNS = {
  blockLists: compilePhrases(BLOCK_LISTS),
  aboutUs: ABOUT_US.map(({ phrases, ...rule }) => ({ ...rule, pattern: compilePhrases(phrases) })),
  wait: compilePhrases(WAIT),
  serverFull: compilePhrases(SERVER_FULL),
  fault: compilePhrases(FAULT),
  outOfSequence: compilePhrases(OUT_OF_SEQUENCE),
  recipientVerified: compilePhrases(RECIPIENT_VERIFIED),
  full: compilePhrases(FULL),
  unknown: compilePhrases([...UNKNOWN, ...UNKNOWN_ELSEWHERE]),
  unknownRecipient: compilePhrases(UNKNOWN_RECIPIENT),
  mailboxBlocked: compilePhrases(MAILBOX_BLOCKED),
  unsupported: compilePhrases(UNSUPPORTED),
};

/** The parts of a reply that the steps read. */
interface Evidence {
  readonly reply: Reply;
  readonly context: ReplyContext;
  readonly clean: CleanReply;
  readonly code: EnhancedCode | undefined;
  readonly provider: ProviderFinding | undefined;
  readonly isTemporary: boolean;
}

/**
 * The success codes of RCPT (RFC 5321, section 4.3.2). 252 says that the server cannot verify the address. The others are
 * replies to other commands.
 */
const ACCEPTING: readonly number[] = [250, 251];

type Step = (evidence: Evidence) => Reading | undefined;

export function readReply(reply: Reply, context: ReplyContext): Reading {
  const isAboutRecipient = context.stage === 'rcpt' || context.stage === 'probe';
  if (reply.code < 300) {
    return isAboutRecipient && !ACCEPTING.includes(reply.code)
      ? { meaning: 'refused', rule: 'refused: not an acceptance', slowDown: false }
      : { meaning: 'accepted', rule: 'accepted', slowDown: false };
  }
  const clean = cleanReply(reply, context);
  const code = findEnhancedCode(clean.lines);
  const provider = reply.code < 500 ? undefined : findProviderText(clean.words, code);
  const evidence = { reply, context, clean, code, provider, isTemporary: reply.code < 500 };
  const steps = isAboutRecipient ? RECIPIENT_STEPS : GREETING_STEPS;
  for (const step of steps) {
    const reading = step(evidence);
    if (reading) return reply.code === 421 ? { ...reading, slowDown: true } : reading;
  }
  return notNow(evidence, 'no known words');
}

const waits: Step = (evidence) => {
  const { words, wordsAndNames } = evidence.clean;
  if (!PATTERNS.wait.test(words)) return undefined;
  // Other words about us may be about greylisting, or about how much the mailbox gets from everybody.
  return { ...notNow(evidence, 'to be tried again'), slowDown: PATTERNS.blockLists.test(wordsAndNames) };
};

/** Our commands were in order. The server has forgotten them on purpose, because of our IP address. */
const lateRefusal: Step = ({ reply, clean }) =>
  reply.code === 503 && PATTERNS.outOfSequence.test(clean.words) ? us('late refusal', true) : undefined;

const aboutUs: Step = ({ clean, provider }) => {
  const words = (provider?.rest ?? clean.words).replace(PATTERNS.mailboxBlocked, '');
  const found = PATTERNS.aboutUs.find(({ pattern }) => pattern.test(words));
  if (PATTERNS.blockLists.test(clean.wordsAndNames)) return us('block list', true);
  return found && us(found.kind, found.slowDown);
};

/** The words are about the address that the reply names, such as `no such user: probe@verify.example`. */
const echoedSender: Step = ({ clean }) => (clean.namesOnlySender ? us('sender', false) : undefined);

/** x.1.7, x.1.8: the sender's address. x.7.27: the sender's domain takes no mail (RFC 7505). */
const senderCode: Step = ({ code }) => {
  const isSender = isCode(code, 1, 7) || isCode(code, 1, 8) || isCode(code, 7, 27);
  return isSender ? us(`sender, ${nameOf(code)}`, false) : undefined;
};

const unsupported: Step = ({ clean, code }) => {
  if (!isCode(code, 6, 7) && !PATTERNS.unsupported.test(clean.mailboxWords)) return undefined;
  return { meaning: 'unsupported-address', rule: 'unsupported address: SMTPUTF8', slowDown: false };
};

const full: Step = (evidence) => {
  const { clean, code, provider } = evidence;
  if (PATTERNS.serverFull.test(clean.words)) return notNow(evidence, 'server full');
  const isFull = provider?.text.meaning === 'mailbox-full' || PATTERNS.full.test(clean.mailboxWords);
  // x.4.x is about the way of the message (RFC 3463). Titan's `5.4.6 … Recipient Quota Exceeded` counts messages an hour.
  if (isFull && code?.subject === 4) return us(`rate, ${nameOf(code)}`, true);
  if (isFull) return { meaning: 'mailbox-full', rule: 'mailbox full: words', slowDown: false };
  return isCode(code, 2, 2)
    ? { meaning: 'mailbox-full', rule: `mailbox full: ${nameOf(code)}`, slowDown: false }
    : undefined;
};

const fault: Step = (evidence) => {
  const words = evidence.clean.words.replace(PATTERNS.recipientVerified, '');
  return PATTERNS.fault.test(words) ? notNow(evidence, 'fault') : undefined;
};

const providerText: Step = ({ provider }) => provider && noSuchMailbox(provider.text.provider);

/**
 * A 4xx never condemns an address, whatever its words or its enhanced code: with `soft_bounce`, Postfix says
 * `450 4.1.1 … User unknown` also while its lists are wrong.
 */
const temporary: Step = (evidence) => (evidence.isTemporary ? notNow(evidence, 'temporary code') : undefined);

const addressCode: Step = ({ code }) => {
  const isAddress = code?.subject === 1 && [1, 2, 3, 6, 10].includes(code.detail);
  // 4.2.1 says that the mailbox is closed for now.
  const isDisabled = code?.class === 5 && isCode(code, 2, 1);
  return isAddress || isDisabled ? noSuchMailbox(nameOf(code)) : undefined;
};

const policyCode: Step = ({ code }) =>
  code?.subject === 7 ? us(`policy, ${nameOf(code)}`, false) : undefined;

const unknownWords: Step = ({ clean }) => (saysUnknown(clean) ? noSuchMailbox('words') : undefined);

const refusedSender: Step = ({ context }) => (context.stage === 'mail' ? us('sender', false) : undefined);

/** The steps before the recipient has been named. */
const GREETING_STEPS: readonly Step[] = [lateRefusal, aboutUs, temporary, refusedSender];

const RECIPIENT_STEPS: readonly Step[] = [
  waits,
  lateRefusal,
  aboutUs,
  echoedSender,
  senderCode,
  full,
  fault,
  temporary,
  unsupported,
  providerText,
  addressCode,
  policyCode,
  unknownWords,
];

function saysUnknown({ mailboxWords, recipientWords }: CleanReply): boolean {
  return PATTERNS.unknown.test(mailboxWords) || PATTERNS.unknownRecipient.test(recipientWords);
}

function us(kind: string, slowDown: boolean): Reading {
  return { meaning: 'about-us', rule: `about us: ${kind}`, slowDown };
}

function noSuchMailbox(why: string): Reading {
  return { meaning: 'no-such-mailbox', rule: `no such mailbox: ${why}`, slowDown: false };
}

function notNow({ isTemporary }: Evidence, why: string): Reading {
  const meaning: Meaning = isTemporary ? 'temporary' : 'refused';
  return { meaning, rule: `${meaning}: ${why}`, slowDown: false };
}

function isCode(code: EnhancedCode | undefined, subject: number, detail: number): boolean {
  return code?.subject === subject && code.detail === detail;
}

function nameOf(code: EnhancedCode | undefined): string {
  return `x.${code?.subject}.${code?.detail}`;
}
