/** The changes of SQL that `npm run mutation -- stores` tries. It runs nothing itself. */

/** A pattern, and what stands in its place. Each is a mistake that somebody could make. */
const CHANGES = [
  // A whole condition, if it stands in a line of its own.
  [/(?<=\n *)(?:and|where) (?=.*\n)[^\n]*/g, dropBalanced],
  [/(?<!\bbetween \S+ )\band\b/g, 'or'],
  [/\bor\b(?! replace)/g, 'and'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<!\b(?:not|if) )\bexists\b/g, 'not exists'],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\bgreatest\b/g, 'least'],
  [/\bleast\b/g, 'greatest'],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bleft join\b/g, 'join'],
  [/\bdesc\b/g, ''],
  [/\bdistinct\b(?! on| from)/g, ''],
  [/(?<![\w$.:-])\d+(?![\w.])/g, (number) => `${Number(number) + 1}`],
];

/** Calls of a chain that builds SQL, each in a line of its own. */
const CALL = /(?<=\n *)\.(?:where|orderBy|limit|forUpdate|skipLocked|distinct)\([^\n]*(?=\n)/g;

/** Nothing in the place of what ends all parentheses that it begins. Else the line is left as it is. */
function dropBalanced(line) {
  return line.split('(').length === line.split(')').length ? '' : line;
}

/**
 * Every change of a file, one for each place.
 *
 * @param {string} text of a `.sql` file, or of TypeScript with `sql` templates
 * @param {boolean} isSql
 * @returns {{ from: number, to: number, text: string }[]} the place that is replaced, and its new text
 */
export function mutantsOf(text, isSql) {
  const parts = isSql ? [[0, text.length]] : templates(text);
  const mutants = parts.flatMap(([from, to]) => {
    // Comments keep their length, so that all places stay.
    const part = text.slice(from, to).replace(/--.*/g, (comment) => ' '.repeat(comment.length));
    return CHANGES.flatMap(([pattern, change]) =>
      [...part.matchAll(pattern)].map(({ 0: found, index }) => ({
        from: from + index,
        to: from + index + found.length,
        text: typeof change === 'string' ? change : change(found),
      })),
    );
  });
  const calls = isSql ? [] : [...text.matchAll(CALL)];
  const dropped = calls.map(({ 0: call, index }) => ({
    from: index,
    to: index + call.length,
    text: dropBalanced(call),
  }));
  return [...mutants, ...dropped]
    .filter((mutant) => text.slice(mutant.from, mutant.to) !== mutant.text)
    .sort((one, other) => one.from - other.from);
}

/** The places of what stands in the `sql` templates of TypeScript, without the expressions in them. */
function templates(text) {
  const parts = [];
  for (const opening of text.matchAll(/\bsql(?:<[^`]*?>)?`/g)) {
    let at = opening.index + opening[0].length;
    // Where the present part begins. An expression is at depth 1 and below.
    let start = at;
    for (let depth = 0; depth > 0 || text[at] !== '`'; at++) {
      if (depth === 0 && text.startsWith('${', at)) {
        parts.push([start, at]);
        depth = 1;
        at++;
      } else if (depth > 0 && text[at] === '{') depth++;
      else if (depth > 0 && text[at] === '}' && --depth === 0) start = at + 1;
    }
    parts.push([start, at]);
  }
  return parts;
}
