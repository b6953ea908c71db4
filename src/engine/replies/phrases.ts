/**
 * Phrases as data. A phrase is matched against a reply's words (`fold.ts`).
 *
 * | in a phrase | matches |
 * | --- | --- |
 * | `a|b` | one of the words |
 * | `word?` | the word, or nothing |
 * | `word*`, `*字` | the word with any ending, with any beginning |
 * | `..`, `...` | up to two, up to four other words of the same sentence |
 *
 * Every repetition is bounded or ends at a space. No text makes the match slow.
 */
import { foldText } from './fold.ts';

/** A phrase, and the public document that contains it. */
export type Phrase = readonly [phrase: string, source: string];

/** One pattern for all of the phrases. */
export function compilePhrases(phrases: readonly Phrase[]): RegExp {
  return new RegExp(phrases.map(([phrase]) => patternOf(phrase)).join('|'), 'u');
}

export function patternOf(phrase: string): string {
  const parts = foldText(phrase).split(' ');
  // With a `*` at its start, a phrase may begin within a word, as in scripts without spaces.
  const start = phrase.startsWith('*') ? '' : '(?<= )';
  return start + parts.map(partPattern).join('');
}

function partPattern(part: string): string {
  if (part === '..') return '(?:[^ |]+ ){0,2}';
  if (part === '...') return '(?:[^ |]+ ){0,4}';
  if (part.endsWith('?')) return `(?:${partPattern(part.slice(0, -1))})?`;
  return `(?:${part.split('|').map(wordPattern).join('|')}) `;
}

function wordPattern(word: string): string {
  const within = word.replace(/^\*|\*$/g, '').replaceAll('*', '[^ |]{0,20}');
  return word.endsWith('*') ? `${within}[^ |]*` : within;
}
