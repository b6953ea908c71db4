/**
 * Makes a reply's text for the evidence: bounded, without email addresses, and without characters that hide or reverse
 * text. The evidence is stored and shown, so it must not contain any address, not even ours.
 */
import { splitAddress } from '../address/parts.ts';
import { COMMON, INVISIBLE, QUOTED_LOCAL_PART, RUN, replaceName, replaceWord } from './clean.ts';

/** Longer than nearly every reply of the corpus. */
export const MOST_TRACED = 500;

/** The rest of a longer text is not read. */
const MOST_LOOKED_AT = 8192;
/** The first half of an address may be at the end of a text that was cut. */
const CUT_OFF = /[^\s<>()[\]",;:]{0,256}$/;
/** The at sign in ASCII, full-width, small, in a URL and in HTML, with or without spaces around it. */
const AT_SIGN = / ?(?:@|\uff20|\ufe6b|%40|&#64;|&#x40;) ?/gi;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const MARK = '[address]';
/** Printable ASCII with single spaces, and without what may be an at sign. Most replies need no other look. */
const HARMLESS = /^(?:[!-$'-?A-~]+ )*[!-$'-?A-~]+$/;

/** @param known addresses whose local part is removed as a single word too, such as the recipient's */
export function forTrace(text: string, known: readonly string[] = []): string {
  if (known.length === 0 && text.length <= MOST_TRACED && HARMLESS.test(text)) return text;
  const plain = head(text).replace(INVISIBLE, ' ').replace(/\s+/g, ' ').replace(AT_SIGN, '@').trim();
  const redacted = known
    .reduce(withoutAddress, plain)
    .replace(QUOTED_LOCAL_PART, '')
    .replace(RUN, (run) => (run.includes('@') ? MARK : run));
  const safe = known.reduce(withoutLocalPart, redacted).replace(LONE_SURROGATE, '');
  if (safe.length <= MOST_TRACED) return safe;
  return `${safe.slice(0, MOST_TRACED - 1).replace(LONE_SURROGATE, '')}…`;
}

function head(text: string): string {
  if (text.length <= MOST_LOOKED_AT) return text;
  return text.slice(0, MOST_LOOKED_AT).replace(CUT_OFF, '');
}

function withoutAddress(text: string, address: string): string {
  return replaceName(text, address, MARK);
}

function withoutLocalPart(text: string, address: string): string {
  const { local } = splitAddress(address);
  return COMMON.test(local) ? text : replaceWord(text, local, MARK);
}
