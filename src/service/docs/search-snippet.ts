/** Cuts from a text what a search has found, with a little around it. */

export interface SnippetPart {
  readonly text: string;
  readonly isMatch: boolean;
}

/** In characters. */
const LENGTH = 180;
const BEFORE = 50;
/** More than a person can have meant. */
const MAX_TERMS = 20;

const LETTER = String.raw`[\p{L}\p{N}]`;

/** @param terms what the index has found, in lower case @returns what begins with the first match, or the beginning */
export function snippetOf(source: string, terms: readonly string[]): readonly SnippetPart[] {
  const text = source.replace(/\s+/g, ' ').trim();
  const pattern = patternOf(text, terms);
  const first = pattern ? Math.max(0, text.search(pattern)) : 0;
  const start = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const from = start === 0 || start > first ? Math.min(first, start || 0) : start;
  const end = from + LENGTH >= text.length ? text.length : text.lastIndexOf(' ', from + LENGTH);
  const to = end <= first ? Math.min(text.length, from + LENGTH) : end;
  const parts = pattern
    ? split(text.slice(from, to), pattern)
    : [{ text: text.slice(from, to), isMatch: false }];
  return [
    ...(from > 0 ? [{ text: '… ', isMatch: false }] : []),
    ...parts,
    ...(to < text.length ? [{ text: ' …', isMatch: false }] : []),
  ];
}

/** Marks the terms in a short text, such as a heading. */
export function markTerms(text: string, terms: readonly string[]): readonly SnippetPart[] {
  const pattern = patternOf(text, terms);
  return pattern ? split(text, pattern) : [{ text, isMatch: false }];
}

/** Whole words first. A term may also be a part of a name such as `verifyAfterDelay`. */
function patternOf(text: string, terms: readonly string[]): RegExp | undefined {
  const longestFirst = [...terms].sort((one, other) => other.length - one.length).slice(0, MAX_TERMS);
  if (longestFirst.length === 0) return undefined;
  const either = longestFirst.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|');
  const words = new RegExp(`(?<!${LETTER})(?:${either})(?!${LETTER})`, 'giu');
  return words.test(text) ? new RegExp(words) : new RegExp(`(?:${either})`, 'giu');
}

function split(text: string, pattern: RegExp): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push({ text: text.slice(at, match.index), isMatch: false }, { text: match[0], isMatch: true });
    at = match.index + match[0].length;
  }
  parts.push({ text: text.slice(at), isMatch: false });
  return parts.filter((part) => part.text !== '');
}
