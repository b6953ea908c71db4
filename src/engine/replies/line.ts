/** Finds the line of the word tables behind a reading, with its source, for people who ask why. Rules do not need it. */
import { cleanReply } from './clean.ts';
import { compilePhrases, type Phrase } from './phrases.ts';
import { PROVIDER_TEXTS } from './providers.ts';
import type { Reading, Reply, ReplyContext } from './reply.ts';
import { ABOUT_US } from './words/about-us.ts';
import { BLOCK_LISTS } from './words/blocks.ts';
import { FAULT, OUT_OF_SEQUENCE, SERVER_FULL, WAIT } from './words/faults.ts';
import { FULL } from './words/full.ts';
import { UNKNOWN, UNKNOWN_ELSEWHERE, UNKNOWN_RECIPIENT, UNSUPPORTED } from './words/unknown.ts';

/** The lines of each rule, by its name without "temporary" and "refused". */
const LINES: ReadonlyMap<string, readonly Phrase[]> = new Map([
  ...ABOUT_US.map(({ kind, phrases }): [string, readonly Phrase[]] => [
    `about us: ${kind}`,
    kind === 'block list' ? [...BLOCK_LISTS, ...phrases] : phrases,
  ]),
  ...PROVIDER_TEXTS.map(({ provider, meaning }): [string, readonly Phrase[]] => [
    `no such mailbox: ${provider}`,
    PROVIDER_TEXTS.filter((text) => text.provider === provider && text.meaning === meaning).map(
      ({ phrase, source }) => [phrase, source] as const,
    ),
  ]),
  ['about us: late refusal', OUT_OF_SEQUENCE],
  ['to be tried again', WAIT],
  ['server full', SERVER_FULL],
  ['fault', FAULT],
  ['mailbox full: words', FULL],
  ['no such mailbox: words', [...UNKNOWN, ...UNKNOWN_ELSEWHERE, ...UNKNOWN_RECIPIENT]],
  ['unsupported address: SMTPUTF8', UNSUPPORTED],
]);

/** @returns undefined if a code decided, or nothing did */
export function findLine(reply: Reply, context: ReplyContext, { rule }: Reading): Phrase | undefined {
  const { words, mailboxWords, recipientWords, wordsAndNames } = cleanReply(reply, context);
  const texts = [words, mailboxWords, recipientWords, wordsAndNames];
  return LINES.get(rule.replace(/^(?:temporary|refused): /, ''))?.find((line) => {
    const pattern = compilePhrases([line]);
    return texts.some((text) => pattern.test(text));
  });
}
