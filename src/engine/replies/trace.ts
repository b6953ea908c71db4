/** Prepares a server's text for the evidence: nobody's address is in it, and nothing that a terminal obeys. */

/** A quoted local part is bounded by RFC 5321, section 4.5.3.1.1. Without a bound, a hostile text takes forever. */
const ADDRESS = /(?:"[^"]{0,128}"|[^\s<>()[\]",;:]{1,256})@[^\s<>()[\]",;:]{1,256}/g;
/** Controls, NUL among them, and marks that reverse what is read. */
const UNSEEN = /[\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFD]+/gu;
/** Longer texts are cut before they are searched. */
const LONGEST = 4096;

/** @returns one line without addresses */
export function forTrace(text: string): string {
  return text.slice(0, LONGEST).replace(UNSEEN, ' ').replace(ADDRESS, '[address]');
}
