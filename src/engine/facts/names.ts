/** The name that a user part may spell out. A guess, and offered as one only where two words stand apart. */

export interface PossibleName {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly fullName: string | null;
}

const NO_NAME: PossibleName = { firstName: null, lastName: null, fullName: null };

/** `jane.doe` and `jane_doe` spell a name; `jdoe`, `jane.doe2` and `j.doe` spell none that can be told. */
export function possibleName(user: string): PossibleName {
  const [, first, last] = /^(\p{L}{2,})[._](\p{L}{2,})$/u.exec(user) ?? [];
  if (first === undefined || last === undefined) return NO_NAME;
  const firstName = capitalise(first);
  const lastName = capitalise(last);
  return { firstName, lastName, fullName: `${firstName} ${lastName}` };
}

function capitalise(word: string): string {
  const lower = word.toLowerCase();
  // A character, which may be two code units.
  const [initial = ''] = lower;
  return initial.toUpperCase() + lower.slice(initial.length);
}
