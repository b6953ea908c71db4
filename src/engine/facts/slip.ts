/** Whether one word is another, mistyped by a single slip of the hand on a QWERTY, QWERTZ or AZERTY keyboard. */

const ROWS = [
  ['1234567890-', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
];

/** Keys that touch: beside each other, or above and below with the half-key shift between rows. */
const NEIGHBOURS = new Set(
  ROWS.flatMap((rows) =>
    rows.flatMap((row, index) =>
      [...row].flatMap((key, column) => {
        const below = rows[index + 1] ?? '';
        return [row[column + 1], below[column], below[column - 1]].flatMap((other) =>
          other === undefined ? [] : [key + other, other + key],
        );
      }),
    ),
  ),
);

/**
 * Two letters swapped, a letter left out, a letter struck twice or with its neighbour, a neighbouring key struck
 * instead. Not any single edit: those also lead from one real name to another (`email` to `gmail`). For the same
 * reason the first letter has to be right, or swapped with the second.
 */
export function isSlip(typed: string, meant: string): boolean {
  if (typed === meant || Math.abs(typed.length - meant.length) > 1) return false;
  let start = 0;
  // Ends where they differ, if only in length.
  while (typed[start] === meant[start]) start += 1;
  const rest = typed.slice(start);
  const restMeant = meant.slice(start);
  const isFirst = start === 0;
  if (isSwap(rest, restMeant)) return true;
  if (isFirst) return false;
  if (rest === restMeant.slice(1)) return true;
  if (rest.slice(1) === restMeant) return isStray(typed, start);
  return rest.slice(1) === restMeant.slice(1) && NEIGHBOURS.has(`${rest[0]}${restMeant[0]}`);
}

function isSwap(rest: string, meant: string): boolean {
  return rest[0] === meant[1] && rest[1] === meant[0] && rest.slice(2) === meant.slice(2);
}

/** A letter too many that is the same as one beside it, or lies beside it on the keyboard. A plural is no slip. */
function isStray(typed: string, index: number): boolean {
  const stray = typed[index];
  if (stray === 's' && index === typed.length - 1) return false;
  return [typed[index - 1], typed[index + 1]].some(
    (other) => other === stray || NEIGHBOURS.has(`${stray}${other}`),
  );
}
