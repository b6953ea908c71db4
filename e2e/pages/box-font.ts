/**
 * Makes a font of boxes, so that text looks the same on every machine. All characters are boxes of the same width, and a
 * space is a gap. Each box is half an em, so that its edges lie on whole pixels in an even font size.
 */

const UNITS_PER_EM = 1400;
const ADVANCE = 700;
const ASCENT = 1100;
const DESCENT = 300;
const BOX = { left: 0, bottom: 0, right: 700, top: 700 };
const FIRST = 0x20;
const LAST = 0x2fff;

/** The font as a `data:` URL, so that a page always has it at once. */
export function boxFont(): string {
  return `data:font/ttf;base64,${Buffer.from(fontFile()).toString('base64')}`;
}

/** A TrueType file with the tables that browsers require. */
function fontFile(): Uint8Array {
  const box = glyph();
  const space = new Uint8Array();
  const tables: [string, Uint8Array][] = [
    ['OS/2', os2()],
    ['cmap', cmap()],
    ['glyf', join([box, box, space])],
    ['head', head()],
    ['hhea', u16(1, 0, ASCENT, -DESCENT, 0, ADVANCE, 0, 0, BOX.right, 1, 0, 0, 0, 0, 0, 0, 0, 3)],
    ['hmtx', u16(ADVANCE, BOX.left, ADVANCE, BOX.left, ADVANCE, 0)],
    ['loca', u16(0, box.length / 2, box.length, box.length)],
    ['maxp', u16(1, 0, 3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['name', name('Boxes')],
    ['post', u16(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ];
  const directory: Uint8Array[] = [u16(1, 0, tables.length, 128, 3, tables.length * 16 - 128)];
  let offset = 12 + 16 * tables.length;
  const bodies = tables.map(([tag, table]) => {
    const padded = join([table, new Uint8Array(-table.length & 3)]);
    directory.push(new TextEncoder().encode(tag), u32(0, offset, table.length));
    offset += padded.length;
    return padded;
  });
  return join([...directory, ...bodies]);
}

/** One closed square. */
function glyph(): Uint8Array {
  const { left, bottom, right, top } = BOX;
  const onCurve = new Uint8Array([1, 1, 1, 1]);
  const xs = u16(left, 0, right - left, 0);
  const ys = u16(bottom, top - bottom, 0, bottom - top);
  return join([u16(1, left, bottom, right, top, 3, 0), onCurve, xs, ys]);
}

/** Every character is the box, and every kind of space the gap. */
function cmap(): Uint8Array {
  const ids: number[] = [];
  for (let code = FIRST; code <= LAST; code += 1) ids.push(/\s/u.test(String.fromCharCode(code)) ? 2 : 1);
  // Two segments: ours with its glyphs, and the last one, which every table needs.
  const segments = u16(4, 4, 1, 0, LAST, 0xffff, 0, FIRST, 0xffff, 0, 1, 4, 0);
  const length = 6 + segments.length + ids.length * 2;
  return join([u16(0, 1, 3, 1), u32(12), u16(4, length, 0), segments, u16(...ids)]);
}

function head(): Uint8Array {
  const { left, bottom, right, top } = BOX;
  const magic = u32(0x5f0f3cf5);
  return join([
    u16(1, 0, 1, 0, 0, 0),
    magic,
    u16(3, UNITS_PER_EM, 0, 0, 0, 0, 0, 0, 0, 0, left, bottom, right, top, 0, 8, 2, 0, 0),
  ]);
}

function os2(): Uint8Array {
  const subscripts = [0, 0, 0, 0, 0, 0, 0, 0, 100, 400, 0];
  const unused = Array.from({ length: 5 + 8 + 2 }, () => 0);
  const metrics = [ASCENT, -DESCENT, 0, ASCENT, DESCENT, 0, 0, 0, 0, 600, 900, 0, FIRST, 1];
  return u16(4, ADVANCE, 400, 5, 0, ...subscripts, ...unused, 0x40, FIRST, LAST, ...metrics);
}

function name(family: string): Uint8Array {
  const text = u16(...[...family].map((character) => character.charCodeAt(0)));
  const ids = [1, 2, 4, 6];
  const records = ids.map((id) => u16(3, 1, 0x409, id, text.length, 0));
  return join([u16(0, ids.length, 6 + 12 * ids.length), ...records, text]);
}

function u16(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  values.forEach((value, index) => {
    new DataView(bytes.buffer).setUint16(index * 2, value & 0xffff);
  });
  return bytes;
}

function u32(...values: number[]): Uint8Array {
  return u16(...values.flatMap((value) => [value >>> 16, value]));
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
