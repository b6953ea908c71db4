/** `check --reply`: how the engine reads one reply of a mail server. Nobody is asked. */
import { toAsciiDomain } from '../../engine/address/domain.ts';
import { readReply } from '../../engine/replies/classify.ts';
import { findLine } from '../../engine/replies/line.ts';
import type { Reading, Reply, ReplyContext, ReplyStage } from '../../engine/replies/reply.ts';
import { type Ending, judge, NOTHING_KNOWN } from '../../engine/verdict.ts';
import { quote, UsageError } from '../../service/core/usage-error.ts';

/** A reply, as the command line has it. */
export interface ReplyArguments extends Reply, Pick<ReplyContext, 'stage' | 'recipient'> {
  readonly host: string;
}

const STAGES: readonly ReplyStage[] = ['banner', 'ehlo', 'mail', 'rcpt'];
/** What else `--reply` takes. The other flags are about addresses. */
const FLAGS: readonly string[] = ['reply', 'stage', 'host', 'recipient', 'json'];

/**
 * @param words the lines of the reply. They may still have their code, as in a log
 * @throws {UsageError} at the first mistake
 */
export function readReplyArguments(
  given: ReadonlyMap<string, string>,
  words: readonly string[],
): ReplyArguments | undefined {
  const reply = given.get('reply');
  const lost = [...given.keys()].find((name) =>
    reply === undefined ? ['stage', 'host', 'recipient'].includes(name) : !FLAGS.includes(name),
  );
  if (lost !== undefined) {
    throw new UsageError(
      reply === undefined
        ? `Expected --reply CODE with --${lost}, got none.`
        : `Expected only --stage, --host, --recipient or --json with --reply, got --${lost}.`,
    );
  }
  if (reply === undefined) return undefined;
  // Who copies a line from a log has the code and its text in one.
  const code = /^\s*([2-5]\d\d)(?![^\s-])/.exec(reply)?.[1];
  if (code === undefined) {
    throw new UsageError(
      `Expected --reply to be a code from 200 to 599, got ${quote(reply)}. Write --reply 550 "no such user".`,
    );
  }
  const stage = given.get('stage') ?? 'rcpt';
  const known = STAGES.find((name) => name === stage);
  if (!known) {
    throw new UsageError(
      `Expected --stage to be one of ${STAGES.join(', ')}, got ${quote(stage)}. Correct it.`,
    );
  }
  const lines = (reply.trim() === code ? words : [reply, ...words])
    .flatMap((word) => word.split(/\r?\n|\\n/))
    .map(withoutCode(code));
  return {
    code: Number(code),
    lines: lines.length > 0 ? lines : [''],
    stage: known,
    host: readHost(given.get('host')),
    recipient: given.get('recipient') ?? '',
  };
}

/** Rules for single providers compare the name, so a text that is no name would silently be read without them. */
function readHost(name: string | undefined): string {
  if (name === undefined) return '';
  const host = toAsciiDomain(name.replace(/\.$/, ''));
  if (host !== undefined) return host;
  throw new UsageError(
    `Expected --host to be the name of a mail server such as mx.example.org, got ${quote(name)}. Correct it.`,
  );
}

const withoutCode = (code: string) => (line: string) => line.replace(new RegExp(`^\\s*${code}[ -]`), '');

export function showReading(
  { code, lines, stage, host, recipient }: ReplyArguments,
  isJson: boolean,
): string {
  const context = { stage, recipient, sender: '', helo: '', mailHost: host };
  const reading = readReply({ code, lines }, context);
  const [words, source] = findLine({ code, lines }, context, reading) ?? [];
  const { reason, state } = judge(endingAfter(reading, stage), NOTHING_KNOWN);
  // Before RCPT, an acceptance only lets the conversation go on.
  const isOpen = reading.meaning === 'accepted' && stage !== 'rcpt';
  const result = isOpen ? { reason: null, state: null } : { reason, state };
  if (isJson)
    return `${JSON.stringify({ ...reading, words: words ?? null, source: source ?? null, ...result })}\n`;
  return [
    `meaning  ${reading.meaning}`,
    `rule     ${reading.rule}`,
    ...(words === undefined ? [] : [`words    ${words}`, `source   ${source}`]),
    `result   ${isOpen ? 'none: the conversation goes on' : `${reason}, so ${state}`}`,
    `pause    ${reading.slowDown ? 'yes' : 'no'}`,
    '',
  ].join('\n');
}

function endingAfter(reading: Reading, stage: ReplyStage): Ending {
  if (stage === 'rcpt') return { kind: 'answered', reading, acceptsAll: null };
  const { slowDown } = reading;
  return stage === 'mail' ? { kind: 'sender-refused', slowDown } : { kind: 'not-welcome', slowDown };
}
