/** Parses untrusted JSON. Refuses input that `JSON.parse` would silently fix or take very long for. */
import { atOnce, STEP_CHARACTERS, type Steps } from '../../shared/steps.ts';

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

/** Limits of a JSON text. Everything that it counts costs much more than its bytes. */
export interface JsonLimits {
  /** For the names of all objects. */
  readonly names: number;
  /** For lists and objects. */
  readonly lists: number;
  /** For the entries of the outermost lists, which are read in pieces. */
  readonly entries: number;
  /** For the entries of all lists within them. */
  readonly innerEntries: number;
  /** For lists and objects within each other. */
  readonly depth: number;
}

const NO_LIMITS: JsonLimits = {
  ...{ names: Infinity, lists: Infinity, entries: Infinity, innerEntries: Infinity },
  depth: 100,
};

/**
 * Parses a JSON text. No object may have a name twice.
 *
 * @throws {SyntaxError} with a sentence that describes the fault
 */
export function parseJson(text: string, limits: JsonLimits = NO_LIMITS): unknown {
  return atOnce(parseJsonInSteps(text, limits));
}

/**
 * The same for a large text. `JSON.parse` reads a text as a whole, so the outermost lists are cut into pieces, which it
 * reads one by one: those of the outermost object, or the whole value.
 */
export function* parseJsonInSteps(text: string, limits: JsonLimits): Steps<unknown> {
  const { repeated, cuts } = yield* scan(text, limits);
  const lists = new Map<string | undefined, unknown[]>();
  let [rest, end] = ['', 0];
  for (const { name, places } of cuts) {
    const list: unknown[] = [];
    for (const [index, start] of places.slice(0, -1).entries()) {
      yield;
      // The last piece of a list ends before its bracket. All others end before a comma.
      const piece = JSON.parse(`[${text.slice(start, places[index + 1]! - 1)}]`) as unknown[];
      if (piece.length === 0) throw new SyntaxError('a list has an empty entry');
      for (const entry of piece) list.push(entry);
    }
    lists.set(name, list);
    rest += text.slice(end, places[0]!);
    end = places.at(-1)! - 1;
  }
  // Malformed JSON gets the parser's own error.
  const value = JSON.parse(rest + text.slice(end)) as Record<string, unknown>;
  if (repeated !== undefined) {
    throw new JsonShapeError(`the name ${repeated} is there twice`, 'in which no name is there twice');
  }
  for (const [name, list] of lists) {
    if (name === undefined) return list;
    value[name] = list;
  }
  return value;
}

/** An outermost list that is too long for one step. */
interface Cut {
  /** Its name in the outermost object. */
  readonly name: string | undefined;
  /** How many lists and objects are around it. */
  readonly depth: number;
  /** The beginnings of its pieces, each after a bracket or comma, and the place after its closing bracket. */
  readonly places: number[];
}

interface Scanned {
  /** The first name that one object has twice, as written. */
  readonly repeated: string | undefined;
  readonly cuts: readonly Cut[];
}

/** The characters of the syntax. */
export const CODES = {
  ...{ QUOTE: 0x22, BACKSLASH: 0x5c, COMMA: 0x2c, COLON: 0x3a },
  ...{ OPEN_LIST: 0x5b, CLOSE_LIST: 0x5d, OPEN_OBJECT: 0x7b, CLOSE_OBJECT: 0x7d },
} as const;
const { QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT } = CODES;

/**
 * Reads each character once. The text may be malformed JSON.
 *
 * @throws {JsonShapeError} before the parser would need much time
 */
function* scan(text: string, most: JsonLimits): Steps<Scanned> {
  // The names of an object, or undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  const cuts: Cut[] = [];
  let cut: Cut | undefined;
  let repeated: string | undefined;
  // The latest string, with its quotes.
  let [start, end, isInString] = [0, 0, false];
  let name: string | undefined;
  let [names, lists, entries, innerEntries] = [0, 0, 0, 0];
  let stepEnd = STEP_CHARACTERS;
  for (let at = 0; at < text.length; at += 1) {
    if (at >= stepEnd) {
      yield;
      stepEnd = at + STEP_CHARACTERS;
    }
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) {
        end = at + 1;
        isInString = false;
      }
      continue;
    }
    switch (code) {
      case QUOTE:
        start = at;
        isInString = true;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (code === OPEN_LIST && (open.length === 0 || (open.length === 1 && open[0])))
          cut = { name, depth: open.length, places: [at + 1] };
        open.push(code === OPEN_OBJECT ? new Set() : undefined);
        lists += 1;
        if (lists > most.lists) throw tooMany(`${most.lists} lists and objects`);
        if (open.length > most.depth) throw tooMany(`${most.depth} lists and objects within each other`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        open.pop();
        if (open.length !== cut?.depth) break;
        if (cut.places.length > 1) {
          cut.places.push(at + 1);
          cuts.push(cut);
        }
        cut = undefined;
        break;
      case COMMA:
        if (open.at(-1)) break;
        if (open.length - 1 === cut?.depth) {
          entries += 1;
          if (entries > most.entries) throw tooMany(`${most.entries} entries of a list`);
          if (at - cut.places.at(-1)! >= STEP_CHARACTERS) cut.places.push(at + 1);
        } else {
          innerEntries += 1;
          if (innerEntries > most.innerEntries) throw tooMany(`${most.innerEntries} entries of inner lists`);
        }
        break;
      case COLON: {
        const earlier = open.at(-1);
        const written = text.slice(start, end);
        const found = readName(written);
        if (open.length === 1) name = found;
        if (earlier?.has(found)) repeated ??= written;
        earlier?.add(found);
        names += 1;
        if (names > most.names) throw tooMany(`${most.names} names`);
      }
    }
  }
  return { repeated, cuts };
}

/** The name that is written so, with its quotes. */
export function readName(written: string): string {
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
