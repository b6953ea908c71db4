/** Finds the enhanced status code (RFC 3463) of a reply. */

export interface EnhancedCode {
  /** The first number: 4 for now, 5 for good. */
  readonly class: number;
  /** The second number: 1 address, 2 mailbox, 3 system, 4 network, 5 protocol, 6 content, 7 policy. */
  readonly subject: number;
  readonly detail: number;
}

/**
 * At the start of a line, or after up to two words (`550 cuda_nsu 5.1.1`, `550 #5.1.0`, `554 mx cmsmtp 5.7.1`), but not
 * after a word that introduces a reference.
 */
const AT_START =
  /^[^\p{L}\p{N}]{0,8}(?:(?![_*#:,-]*(?:ref\w*|id|rfc|section|version|v)\b)[\p{L}\p{N}_*#:,-]{1,40}[^\p{L}\p{N}]{1,4}){0,2}?(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)/iu;

/** In parentheses or after a hash: `(#5.1.1)`, as qmail and its variants write it at the end. */
const MARKED = /(?:\(|#)\s?([45])\.(\d{1,3})\.(\d{1,3})\)/;

/** @param lines without URLs and IP addresses, which look alike */
export function findEnhancedCode(lines: readonly string[]): EnhancedCode | undefined {
  for (const line of lines) {
    const found = AT_START.exec(line);
    if (found) return toCode(found);
  }
  for (const line of [...lines].reverse()) {
    const found = MARKED.exec(line);
    if (found) return toCode(found);
  }
  return undefined;
}

function toCode(found: RegExpExecArray): EnhancedCode {
  return { class: Number(found[1]), subject: Number(found[2]), detail: Number(found[3]) };
}
