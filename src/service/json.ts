/** Reads JSON that people write by hand: refuses what `JSON.parse` would silently resolve. */

/**
 * Parses a JSON text in which no object holds a name twice.
 *
 * @throws {SyntaxError} with a sentence that names the fault
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const repeated = findRepeatedName(text);
  if (repeated !== undefined) throw new SyntaxError(`the name ${repeated} is there twice`);
  return value;
}

/** Strings are read whole, so that a bracket inside one is no bracket. Numbers and words don't matter here. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** The first name that one object holds twice, as written in the text (which is known to be JSON). */
function findRepeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = JSON.parse(last);
      const names = open.at(-1);
      if (names?.has(name)) return last;
      names?.add(name);
    }
    last = token;
  }
  return undefined;
}
