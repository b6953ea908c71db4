/**
 * Removes inserted text from a reply: addresses, host names, IP addresses, URLs. The rules search only the rest, so that
 * the echo of `alice@unblocked.example` does not look like a block.
 */
import { getDomain } from 'tldts';
import { splitAddress } from '../address/parts.ts';
import { MOST_CHARACTERS, toWords } from './fold.ts';
import type { Reply, ReplyContext } from './reply.ts';

export interface CleanReply {
  /** The cleaned lines with their punctuation. They contain the enhanced code. */
  readonly lines: readonly string[];
  /** The words of all lines. */
  readonly words: string;
  /**
   * The same words without our command, and without the recipient's local part as a single word. Only rules that condemn
   * a mailbox search them: the local part may look like a word about us, such as `sender`.
   */
  readonly mailboxWords: string;
  /** The words with `RECIPIENT` in the place of the recipient, for phrases such as "alice is disabled". */
  readonly recipientWords: string;
  /** The words with host names and URLs, which may name block lists. */
  readonly wordsAndNames: string;
  /** Whether the reply names our sender or its domain, and not the recipient. */
  readonly namesOnlySender: boolean;
}

/** Replaces the recipient where its echo counts. It is not a word of any reply. */
export const RECIPIENT = 'echoedrecipient';

/** Control characters, and characters that are invisible or change the direction of text. */
export const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: servers send them, and they must not hide words
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]+/g;

/** A run of characters that can contain an address. It reads each character once. */
export const RUN = /[^\s<>()[\]",;:]+/g;
export const QUOTED_LOCAL_PART = /"[^"]{1,128}"(?=@)/g;

const URL_TEXT = /(?<![a-z])(?:https?:|www\.)[^\s<>"]*/gi;
const NAME = /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu;
/** The last label of a name is all lower case or all upper case. `unknown.See` is the end of a sentence. */
const HOST_NAME = /\.(?:[a-z]{2,24}|[A-Z]{2,24}|xn--[\w-]{1,59})$/;
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)/g;
const IPV6 = /(?<![\w:])[\da-f]{0,4}(?::[\da-f]{0,4}){2,8}(?![\w:])/gi;

/**
 * Our command, with its address. `RCPT` alone is the command too, but not before an address: "Rcpt <ada@example.org> does
 * not exist" is about the mailbox.
 */
const COMMAND =
  /\bRCPT\s{1,4}TO\b\s{0,4}:?\s{0,4}(?:<[^<>]{0,320}>)?|\bRCPT\b(?!\s{1,4}<?[^\s<>@]{1,128}@)/gi;

/** Local parts that replies also use as words. As a single word, they are removed only at the start of a line. */
export const COMMON =
  /^(?:.{1,2}|users?|unknown|invalid|bad|wrong|mailbox|accounts?|address|recipients?|not|found|such|valid|exist|exists|e?mail|here|name|person|customer|inbox|alias|disabled|suspended|inactive|closed|deleted|expired|locked|unavailable|full|over|quota|storage|space|exceeded|limit)$/i;

export function cleanReply(reply: Reply, context: ReplyContext): CleanReply {
  const { local, domain } = splitAddress(context.recipient);
  const own = [domain, organisationOf(context.mailHost), organisationOf(context.helo)];
  const received = boundLines(reply.lines);
  const named = received.map((line) => withoutNames(withoutAddresses(line, context, ' '), own));
  const lines = named.map(withoutHosts);
  const uncommanded = received.map((line) => line.replace(COMMAND, ' '));
  const cleanWith = (mark: string) =>
    uncommanded.map((line) => withoutHosts(withoutNames(withoutAddresses(line, context, mark), own)));
  const anonymous = cleanWith(' ').map((line) => withoutLocalPart(line, local));
  return {
    lines,
    words: toWords(lines.join('\n')),
    mailboxWords: toWords(anonymous.join('\n')),
    recipientWords: toWords(cleanWith(` ${RECIPIENT} `).join('\n')),
    wordsAndNames: toWords(named.join('\n')),
    namesOnlySender: namesOnlySender(received.join('\n').toLowerCase(), context),
  };
}

function namesOnlySender(text: string, { recipient, sender }: ReplyContext): boolean {
  if (sender === '' || text.includes(recipient.toLowerCase())) return false;
  const { domain } = splitAddress(sender.toLowerCase());
  return text.includes(sender.toLowerCase()) || text.includes(`domain ${domain}`);
}

function organisationOf(host: string): string {
  return (getDomain(host) ?? host).toLowerCase();
}

function boundLines(lines: readonly string[]): string[] {
  let left = MOST_CHARACTERS;
  const bounded: string[] = [];
  for (const line of lines) {
    if (left <= 0) break;
    bounded.push(line.slice(0, left).replace(INVISIBLE, ' '));
    left -= line.length + 1;
  }
  return bounded;
}

/** @param mark replaces the recipient */
function withoutAddresses(line: string, { recipient, sender }: ReplyContext, mark: string): string {
  const { local } = splitAddress(recipient);
  // Comes first: a quoted local part may contain anything.
  const rest = replaceName(replaceName(line, recipient, mark), sender, ' ')
    .replace(QUOTED_LOCAL_PART, ' ')
    .replace(RUN, (run) => (run.includes('@') ? ' ' : run));
  return replaceName(rest, local, mark, '[<"\'(\\[]', '[>"\')\\]]');
}

/** Removes names of the recipient's, the mail host's and our own domain. They do not name a block list. */
function withoutNames(line: string, own: readonly string[]): string {
  const isOwn = (name: string) => own.some((domain) => name === domain || name.endsWith(`.${domain}`));
  return line.replace(NAME, (name) => (isOwn(name.toLowerCase()) ? ' ' : name));
}

function withoutHosts(line: string): string {
  return line
    .replace(URL_TEXT, ' ')
    .replace(IPV6, ' ')
    .replace(IPV4, ' ')
    .replace(NAME, (name) => (HOST_NAME.test(name) ? ' ' : name));
}

function withoutLocalPart(line: string, local: string): string {
  const rest = replaceName(line, local, ' ', '^\\s*', '(?=\\s*(?::|\\.{2,}|-))');
  return COMMON.test(local) ? rest : replaceWord(rest, local, ' ');
}

/** Replaces a name where it is a word of its own. */
export const replaceWord = (text: string, name: string, replacement: string): string =>
  replaceName(text, name, replacement, '(?<![\\p{L}\\p{N}_.-])', '(?![\\p{L}\\p{N}_-])');

/**
 * Replaces a name in any case. Most replies do not contain it, and to compile a pattern takes longer than the search.
 *
 * @param before the pattern of what is before it @param after of what is after it
 */
export function replaceName(
  text: string,
  name: string,
  replacement: string,
  before = '',
  after = '',
): string {
  if (name === '' || !mayContain(text, name)) return text;
  return text.replace(new RegExp(`${before}${literal(name)}${after}`, 'giu'), replacement);
}

const ASCII = /^[\0-\x7f]*$/;

/** Other letters have cases of their own, which only the pattern knows: a long s is an `s`. */
const mayContain = (text: string, name: string): boolean =>
  text.toLowerCase().includes(name.toLowerCase()) || !ASCII.test(text) || !ASCII.test(name);

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
