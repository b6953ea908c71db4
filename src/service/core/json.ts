/** Parses untrusted JSON. Refuses input that `JSON.parse` would silently fix or take very long for. */
import { randomUUID } from 'node:crypto';
import { LongList, LongText } from '../../shared/long-text.ts';
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
  const { repeated } = atOnce(scan(text, limits));
  const value: unknown = JSON.parse(text);
  refuseRepeated(repeated);
  return value;
}

/** How many characters of a list `JSON.parse` reads in a step. Each entry becomes a text of its own. */
const PIECE = STEP_CHARACTERS / 4;
/** What it may read at once at the end: the text without its long lists and strings. */
const MOST_AT_ONCE = STEP_CHARACTERS;

/**
 * The same for a large text. `JSON.parse` reads a text as a whole, so the outermost lists are cut into pieces, which it
 * reads one by one: those of the outermost object, or the whole value. Such a list becomes a `LongList`. A long string
 * that is a value or entry of them becomes a `LongText`.
 */
export function* parseJsonInSteps(text: string | LongText, limits: JsonLimits): Steps<unknown> {
  if (typeof text === 'string') return parseJson(text, limits);
  const { repeated, cuts, strings } = yield* scan(text, limits);
  // Nobody can guess it, so no string of the text is taken for another one.
  const mark = strings.length > 0 ? randomUUID() : undefined;
  const longTexts: LongText[] = [];
  for (const { start, end } of strings) longTexts.push(yield* readString(text, start + 1, end - 1));
  const written = (from: number, to: number): string => {
    const within = [...strings.entries()].filter(([, { start, end }]) => start >= from && end <= to);
    refuseLong(within.reduce((left, [, { start, end }]) => left - (end - start), to - from));
    let [read, at] = ['', from];
    for (const [index, { start, end }] of within) {
      read += `${text.slice(at, start)}"${mark}${index}"`;
      at = end;
    }
    return read + text.slice(at, to);
  };
  const restore = (value: unknown): unknown =>
    mark !== undefined && typeof value === 'string' && value.startsWith(mark)
      ? longTexts[Number(value.slice(mark.length))]
      : value;
  const restoreIn = (value: unknown): unknown => (Array.isArray(value) ? value.map(restore) : restore(value));

  const lists = new Map<string | undefined, LongList>();
  let [rest, end] = ['', 0];
  for (const { name, places } of cuts) {
    const parts: unknown[][] = [];
    for (const [index, start] of places.slice(0, -1).entries()) {
      yield;
      // The last piece of a list ends before its bracket. All others end before a comma.
      const piece = JSON.parse(`[${written(start, places[index + 1]! - 1)}]`) as unknown[];
      if (piece.length === 0) throw new SyntaxError('a list has an empty entry');
      parts.push(mark === undefined ? piece : piece.map(restore));
    }
    lists.set(name, new LongList(parts));
    rest += written(end, places[0]!);
    refuseLong(rest.length);
    end = places.at(-1)! - 1;
  }
  yield;
  rest += written(end, text.length);
  refuseLong(rest.length);
  // Malformed JSON gets the parser's own error.
  const value = JSON.parse(rest) as Record<string, unknown>;
  refuseRepeated(repeated);
  for (const [name, list] of lists) {
    if (name === undefined) return list;
    value[name] = list;
  }
  if (mark === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return restoreIn(value);
  for (const [name, each] of Object.entries(value)) value[name] = restoreIn(each);
  return value;
}

function refuseLong(length: number): void {
  if (length > MOST_AT_ONCE) throw tooMany(`${MOST_AT_ONCE / 1024} KiB beside its long lists and texts`);
}

function refuseRepeated(name: string | undefined): void {
  if (name === undefined) return;
  throw new JsonShapeError(`the name ${name} is there twice`, 'in which no name is there twice');
}

/** Reads what is between two quotes. */
function* readString(text: LongText, from: number, to: number): Steps<LongText> {
  const pieces: string[] = [];
  for (let start = from; start < to; ) {
    const step = text.slice(start, Math.min(to, start + STEP_CHARACTERS + LONG_ESCAPE));
    const end = endOfEscapes(step, Math.min(step.length, STEP_CHARACTERS));
    pieces.push(JSON.parse(`"${step.slice(0, end)}"`) as string);
    start += end;
    yield;
  }
  return new LongText(pieces);
}

/** An escape such as `\u0041`, and one such as `\n`. */
export const LONG_ESCAPE = 6;
export const SHORT_ESCAPE = 2;

/** @param text begins outside an escape @returns the first place from here on that cuts no escape in two */
function endOfEscapes(text: string, from: number): number {
  const last = text.lastIndexOf('\\', from - 1);
  if (last < 0 || last < from - LONG_ESCAPE) return from;
  let first = last;
  while (first > 0 && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  // Each two of them are one backslash.
  if ((last - first) % 2 === 1) return from;
  return Math.max(from, last + (text[last + 1] === 'u' ? LONG_ESCAPE : SHORT_ESCAPE));
}

/** An outermost list that is too long for one step. */
interface Cut {
  /** Its name in the outermost object. */
  readonly name: string | undefined;
  /** How many lists and objects are around it. */
  readonly depth: number;
  /** The places of its pieces, each after a bracket or comma, and the place after its closing bracket. */
  readonly places: number[];
}

interface Scanned {
  /** The first name that one object has twice, as written. */
  readonly repeated: string | undefined;
  readonly cuts: readonly Cut[];
  /** Where the strings begin and end that are too long for one step, with their quotes. */
  readonly strings: readonly { readonly start: number; readonly end: number }[];
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
function* scan(text: string | LongText, most: JsonLimits): Steps<Scanned> {
  // The names of an object, or undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  const cuts: Cut[] = [];
  const strings: { start: number; end: number }[] = [];
  let cut: Cut | undefined;
  let repeated: string | undefined;
  // The latest string, with its quotes.
  let [start, end, isInString] = [0, 0, false];
  let name: string | undefined;
  let [names, lists, entries, innerEntries] = [0, 0, 0, 0];
  let [at, pieceStart, pieceEnd] = [0, 0, 0];
  for (const piece of typeof text === 'string' ? [text] : text.pieces) {
    if (pieceEnd > 0) yield;
    pieceStart = pieceEnd;
    pieceEnd += piece.length;
    for (; at < pieceEnd; at += 1) {
      const code = piece.charCodeAt(at - pieceStart);
      if (isInString) {
        if (code === BACKSLASH) at += 1;
        else if (code === QUOTE) {
          end = at + 1;
          isInString = false;
          if (end - start > PIECE) strings.push({ start, end });
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
            if (at - cut.places.at(-1)! >= PIECE) cut.places.push(at + 1);
          } else {
            innerEntries += 1;
            if (innerEntries > most.innerEntries)
              throw tooMany(`${most.innerEntries} entries of inner lists`);
          }
          break;
        case COLON: {
          const earlier = open.at(-1);
          // Of a very long name, the beginning is enough.
          const written = text.slice(start, Math.min(end, start + PIECE));
          // A name has one colon. Others would read it again and again.
          start = end;
          const found = readName(written);
          if (open.length === 1) name = found;
          if (earlier?.has(found)) repeated ??= written;
          earlier?.add(found);
          names += 1;
          if (names > most.names) throw tooMany(`${most.names} names`);
        }
      }
    }
  }
  return { repeated, cuts, strings };
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
