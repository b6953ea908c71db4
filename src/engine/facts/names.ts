/** Guesses a person's name from the user part, if it consists of two words. */

export interface PossibleName {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly fullName: string | null;
}

const NO_NAME: PossibleName = { firstName: null, lastName: null, fullName: null };

const TWO_WORDS = /^\p{L}{2,}[._]\p{L}{2,}$/u;

/** `jane.doe` and `jane_doe` contain a name. `jdoe`, `jane.doe2` and `j.doe` do not. */
export function possibleName(user: string): PossibleName {
  if (!TWO_WORDS.test(user)) return NO_NAME;
  const [firstName = null, lastName = null] = user.split(/[._]/).map(capitalise);
  return { firstName, lastName, fullName: `${firstName} ${lastName}` };
}

function capitalise(word: string): string {
  const lower = word.toLowerCase();
  // The first character may be two code units. A regular expression takes ten times as long.
  const length = lower.codePointAt(0)! > 0xffff ? 2 : 1;
  return lower.slice(0, length).toUpperCase() + lower.slice(length);
}
