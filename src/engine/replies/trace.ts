/**
 * A reply's text for the evidence: without email addresses, without characters that hide or turn text, and bounded.
 * The evidence is stored and shown, so it must hold nobody's address, not even ours.
 */
import { splitAddress } from '../address/parts.ts';
import { COMMON, INVISIBLE, literal, QUOTED_LOCAL_PART, RUN, replaceAll } from './clean.ts';

/** Longer than nearly every reply of the corpus. */
export const MOST_TRACED = 500;

/** More is not looked at. */
const MOST_LOOKED_AT = 8192;
/** What may be the first half of an address, at the end of a text that was cut. */
const CUT_OFF = /[^\s<>()[\]",;:]{0,256}$/;
/** The sign of an email address in ASCII, full-width, small, in a URL and in HTML, with a space beside it or without. */
const AT_SIGN = / ?(?:@|\uff20|\ufe6b|%40|&#64;|&#x40;) ?/gi;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const MARK = '[address]';

/** @param known addresses whose local part is taken out where it stands alone as well, such as the recipient's */
export function forTrace(text: string, known: readonly string[] = []): string {
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
  return replaceAll(text, literal(address), MARK);
}

function withoutLocalPart(text: string, address: string): string {
  const { local } = splitAddress(address);
  if (local === '' || COMMON.test(local)) return text;
  return replaceAll(text, `(?<![\\p{L}\\p{N}_.-])${literal(local)}(?![\\p{L}\\p{N}_-])`, MARK);
}
