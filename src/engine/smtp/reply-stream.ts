/**
 * Splits the bytes of a mail server into replies (RFC 5321, section 4.2).
 *
 * It tolerates common errors that are not ambiguous, and limits replies that never end.
 */
import type { Reply } from '../replies/reply.ts';

export type Arrival =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** A reply begins without a reply code. This is the last arrival. */
  | { readonly kind: 'not-smtp'; readonly text: string }
  /** A reply is longer than any real one. This is the last arrival. */
  | { readonly kind: 'flood' };

/** RFC 5321 (4.5.3.1.5) allows 512 octets for a line. The longest EHLO replies have about 20 lines. */
export const MAX_REPLY_BYTES = 64 * 1024;
export const MAX_REPLY_LINES = 1000;

const LINE_FEED = 0x0a;
/** A code, then the end, a space or a hyphen. Some servers send a tab. */
const REPLY_LINE = /^([2-5]\d\d)(?:([ \t-])(.*))?$/s;
/** The possible beginnings of such a line. Empty lines between replies are skipped. */
const BEGINNING = /^(?:\r*|[2-5](?:\d(?:\d(?:[ \t-].*|\r*)?)?)?)$/s;
/** The bytes that {@link BEGINNING} reads, with room for line ends such as CR CR LF. */
const BEGINNING_BYTES = 8;
/** The evidence shows so many bytes of text that is not SMTP. */
const SHOWN_BYTES = 200;

export function createReplyStream() {
  /** The incomplete line, with one character for each byte. */
  let line = '';
  let lines: string[] = [];
  let replyBytes = 0;
  let isOver = false;

  function end(arrival: Arrival): Arrival {
    isOver = true;
    line = '';
    lines = [];
    return arrival;
  }

  /** Adds a part of a line, with its line feed if it is the last part. */
  function take(part: Buffer): Arrival | undefined {
    const isBeginning = line.length < BEGINNING_BYTES;
    line += part.toString('latin1');
    // The first bytes of a line decide, so that a server without line ends is recognised at once.
    if (lines.length === 0 && isBeginning && !canBeReply(line))
      return end({ kind: 'not-smtp', text: readable(line.slice(0, SHOWN_BYTES)) });
    replyBytes += part.length;
    if (replyBytes > MAX_REPLY_BYTES || lines.length >= MAX_REPLY_LINES) return end({ kind: 'flood' });
    if (part[part.length - 1] !== LINE_FEED) return undefined;
    const complete = line.replace(/\r*\n$/, '');
    line = '';
    return complete === '' && lines.length === 0 ? undefined : takeLine(complete);
  }

  function takeLine(complete: string): Arrival | undefined {
    const [, code, separator, text = ''] = REPLY_LINE.exec(complete) ?? [];
    if (code === undefined) {
      if (lines.length === 0)
        return end({ kind: 'not-smtp', text: readable(complete.slice(0, SHOWN_BYTES)) });
      // Broken servers send a text with line breaks, without a code on each line.
      lines.push(readable(complete));
      return undefined;
    }
    lines.push(readable(text));
    if (separator === '-') return undefined;
    // If the codes of the lines differ, the last one counts, as in Postfix (smtp_chat.c).
    const reply = { code: Number(code), lines };
    lines = [];
    replyBytes = 0;
    return { kind: 'reply', reply };
  }

  return {
    /** @returns the replies that these bytes complete, in order */
    push(bytes: Buffer): readonly Arrival[] {
      const arrivals: Arrival[] = [];
      let from = 0;
      while (from < bytes.length && !isOver) {
        const lineFeed = bytes.indexOf(LINE_FEED, from);
        const to = lineFeed < 0 ? bytes.length : lineFeed + 1;
        const arrival = take(bytes.subarray(from, to));
        if (arrival) arrivals.push(arrival);
        from = to;
      }
      return arrivals;
    },
  };
}

function canBeReply(line: string): boolean {
  return BEGINNING.test(line.slice(0, BEGINNING_BYTES).replace(/\n$/, ''));
}

/** Nearly all replies are such text, which needs no decoding. */
const PLAIN = /^[ -~]*$/;

/** Decodes UTF-8. Control characters and NUL become spaces, because terminals show the text. */
function readable(bytes: string): string {
  if (PLAIN.test(bytes)) return bytes;
  return Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replaceAll(/\p{Cc}/gu, ' ');
}
