/** Recognises a word with one typing error, on a QWERTY, QWERTZ or AZERTY keyboard. */

const ROWS = [
  ['1234567890-', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
];

/** Keys that touch: in the same row, or in neighbouring rows, which are shifted by half a key. */
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
 * True for two swapped letters, a missing letter, a letter typed twice or together with its neighbour, and a neighbouring
 * key. Other single changes also turn one real name into another (`email` into `gmail`). For the same reason, the first
 * letter has to be right, or swapped with the second.
 */
export function isTypo(typed: string, meant: string): boolean {
  if (typed === meant || Math.abs(typed.length - meant.length) > 1) return false;
  let start = 0;
  // The loop ends at the first difference, at the latest where one word ends.
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

/** An extra letter that equals the one before or after it, or is next to it on the keyboard. A plural is not an error. */
function isStray(typed: string, index: number): boolean {
  const stray = typed[index];
  if (stray === 's' && index === typed.length - 1) return false;
  return [typed[index - 1], typed[index + 1]].some(
    (other) => other === stray || NEIGHBOURS.has(`${stray}${other}`),
  );
}
