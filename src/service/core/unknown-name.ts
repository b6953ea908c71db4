/** Refuses a name that is not known, and says which one was probably meant. */
import { closest } from 'fastest-levenshtein';

/** Longer names are never mistyped ones, and comparing them takes long. */
const LONGEST_COMPARED = 100;

/**
 * @param expected the names that are known, as a phrase @param got the name, as it is quoted @param nearest one of the
 * known names
 */
export function sayUnknown(expected: string, got: string, nearest: string): string {
  return `Expected only ${expected}, got ${got}. The nearest known name is ${nearest}.`;
}

/** The known name with the fewest differences, apart from case and the signs between words. */
export function nearestName(wrong: string, known: readonly string[]): string {
  const folded = new Map(known.map((name) => [fold(name), name]));
  return folded.get(closest(fold(wrong.slice(0, LONGEST_COMPARED)), [...folded.keys()]))!;
}

const fold = (name: string): string => name.replace(/[-_. ]/g, '').toLowerCase();
