/** Parses untrusted JSON. Refuses input that `JSON.parse` would silently fix or take very long for. */

/** Well-formed JSON that is still refused. */
export class JsonShapeError extends SyntaxError {
  /** @param expected continues the text "Expected JSON" */
  constructor(
    message: string,
    readonly expected: string,
  ) {
    super(message);
  }
}

/**
 * Parses a JSON text. No object may have a name twice.
 *
 * @param most the limit for names, and for lists and objects. Each costs much more than its bytes. @throws
 * {SyntaxError} with a sentence that describes the fault
 */
export function parseJson(text: string, most = Number.POSITIVE_INFINITY): unknown {
  const repeated = findRepeatedName(text, most);
  // Malformed JSON gets the parser's own error.
  const value: unknown = JSON.parse(text);
  if (repeated === undefined) return value;
  throw new JsonShapeError(`the name ${repeated} is there twice`, 'in which no name is there twice');
}

/**
 * Reads each character once. A regular expression would overflow the stack on a string of 8 MiB.
 *
 * @returns the first name that one object has twice, as written. The text may be malformed JSON
 * @throws {JsonShapeError} before the parser would need much time
 */
function findRepeatedName(text: string, most: number): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  let [names, lists] = [0, 0];
  let repeated: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        last = text.slice(at, end + 1);
        at = end;
        break;
      }
      case '{':
      case '[':
        open.push(text[at] === '{' ? new Set() : undefined);
        lists += 1;
        if (lists > most) throw tooMany(`${most} lists and objects`);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ':': {
        const earlier = open.at(-1);
        const name = readName(last);
        if (earlier?.has(name)) repeated ??= last;
        earlier?.add(name);
        names += 1;
        if (names > most) throw tooMany(`${most} names`);
      }
    }
  }
  return repeated;
}

/** The place of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function readName(written: string): string {
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function tooMany(most: string): JsonShapeError {
  return new JsonShapeError(`it has more than ${most}`, `with at most ${most}`);
}
