import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLines } from '../../../src/service/files/csv-cells.ts';
import { RFC_4180 } from '../../../src/service/files/csv-style.ts';
import { parseCsv } from '../batch/download/readers.ts';

/** The cells as a reader finds them. */
const cells = (...values: unknown[]) =>
  parseCsv(csvLines(values.map((value) => [value, 1]))).map(([cell]) => cell);

describe('cells', () => {
  it('have null as nothing, booleans as words and numbers as digits', () => {
    expect(csvLines([[null, true, false, 0, -5, '']])).toBe(',true,false,0,-5,\r\n');
  });

  const SIGNS = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
  it.each(SIGNS)('that begin with %j do not, and are the same after that', (first) => {
    const values = [first, `${first}1+1`, `${first}"a",b`, `${first}a\r\nb`, `${first}${first}`];
    expect(cells(...values)).toEqual(values.map((value) => `'${value}`));
  });

  // Where a spreadsheet may begin a cell.
  const BREAKS = [';', '\t', '|', '\n', '\r\n', '\r', '\v', '\u2028'];
  it.each(BREAKS)('that have a formula after %j have an apostrophe there', (separator) => {
    expect(cells(`x${separator}=cmd|' /C calc'!A0`)).toEqual([`x${separator}'=cmd|' /C calc'!A0`]);
    const twice = separator + separator;
    expect(cells(`x${separator}a=b${twice}+1`)).toEqual([`x${separator}a=b${twice}'+1`]);
  });

  it.each([
    ['x;"=1"', `x;"'=1"`],
    ['x;"" @a""', 'x;"" @a""'],
    ['\t=1', "'\t'=1"],
    ['list:\n-one\n-two', "list:\n'-one\n'-two"],
  ])('have it after quotes, where these begin a cell: %j', (text, written) => {
    expect(cells(text)).toEqual([written]);
  });

  it('have it after a comma of their own in a file of another separator, where no quotes hold them together', () => {
    const options = { style: { ...RFC_4180, separator: ';' }, keepsNumbers: true };
    const lines = csvLines([['Ada', 'x,=cmd()', 'y,"@z', 'Berlin, -5,3', 'a,b']], options);
    expect(lines).toBe(`Ada;x,'=cmd();"y,""'@z";Berlin, -5,3;a,b\r\n`);
    expect(csvLines([['1,-5,3', '1,-x']], options)).toBe("1,-5,3;1,'-x\r\n");
    expect(csvLines([["-5,3+cmd|' /C calc'!A0"]], options)).toMatch(/^'-5,3/);
    expect(csvLines([['x,=cmd()']])).toBe('"x,=cmd()"\r\n');
  });

  it('stay as they are without a formula', () => {
    const values = [
      ...['a=b', 'ada+tag@x.com', 'x;a@b.com', "'a", '1-2', 'a - b', '"quoted"', 'a, b; c', ' -1'],
      ...['to do; - call', 'Ada, @home', 'x,=1'],
    ];
    expect(cells(...values)).toEqual(values);
  });

  it('keep numbers and telephone numbers, in files where people expect them', () => {
    const rows = [['+49 171 1234567'], ['-1,234.50'], ['1;-2;+3'], ['-2+3'], ['1;-2+3'], ['+cmd']];
    const written = parseCsv(csvLines(rows, { keepsNumbers: true })).map(([cell]) => cell);
    expect(written).toEqual(['+49 171 1234567', '-1,234.50', '1;-2;+3', "'-2+3", "1;'-2+3", "'+cmd"]);
    expect(cells('+49 171 1234567')).toEqual(["'+49 171 1234567"]);
  });

  it.each([
    [['-1', "0+cmd|' /C calc'!A0;y"], "'-1"],
    [['x;-1', "0+cmd|' /C calc'!A0;"], "x;'-1"],
    [['x|+1', '', '*A1'], "x|'+1"],
    [['-1', "cmd|' /C calc'!A0"], "'-1"],
    [['-1', 'E5+A1'], "'-1"],
    [['-1', '5/A1'], "'-1"],
    [['-1', '5,-\ta'], "'-1"],
  ])('do not keep a number that goes on as a formula in the next cells, as in %j', (row, written) => {
    const lines = csvLines([row], { keepsNumbers: true });
    expect(parseCsv(lines)[0]).toEqual([written, ...row.slice(1)]);
  });

  it.each([
    ['+49 171 1234567', 'ada@example.com', 'Ada', '-5', '=1'],
    ['-5', '', '-3', 'Ada (Berlin)'],
    ['-1', 'x;-2', 'y'],
    ['-5', '12:30', '50%', '€', 'Ada'],
  ])('keep a number beside other cells: %j', (...row) => {
    const lines = csvLines([row], { keepsNumbers: true });
    expect(parseCsv(lines)[0]).toEqual(row.map((cell) => (cell === '=1' ? "'=1" : cell)));
  });

  it('keep prices in files of another separator than the comma', () => {
    const row = ['49,- €', '1.200,-€', '12,-', 'Berlin, +49 30 1234'];
    const style = { ...RFC_4180, separator: ';' };
    expect(csvLines([row], { keepsNumbers: true, style })).toBe(`${row.join(';')}\r\n`);
    expect(csvLines([['x,-cmd()', 'x,-5+3']], { keepsNumbers: true, style })).toBe("x,'-cmd();x,'-5+3\r\n");
  });

  it('have quotes where they are needed only', () => {
    const values = ['a,b', 'a"b', 'a\nb', 'a\rb', 'plain', ' spaces ', 'a=b', "'a"];
    expect(csvLines(values.map((value) => [value]))).toBe(
      `"a,b"\r\n"a""b"\r\n"a\nb"\r\n"a\rb"\r\nplain\r\n spaces \r\na=b\r\n'a\r\n`,
    );
  });

  it('keep their line when each line has one cell and it is empty', () => {
    expect(csvLines([[null], [''], ['x'], [null]])).toBe('""\r\n""\r\nx\r\n""\r\n');
  });

  const character = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'"",;|\r\n\t=+-@ \'a\0\ufeff\u202e＝＋－＠\v\f\u0085\u2028\u00a0', '🙂'),
  );
  const texts = fc.array(
    fc.array(character, { maxLength: 12 }).map((parts) => parts.join('')),
    { minLength: 1, maxLength: 20 },
  );

  it('come back with nothing but apostrophes more, whatever they hold', () => {
    fc.assert(
      fc.property(texts, (sent) => {
        const without = (text: string | undefined) => text?.replaceAll("'", '');
        expect(cells(...sent).map(without)).toEqual(sent.map(without));
      }),
      { numRuns: 300 },
    );
  });

  /** An operator, a name after one, a call or another program. */
  const FORMULA = /^[+-]([\d\s.,;|():%/€£¥"'-]*([^\d\s.,;|():%/€£¥"'\p{L}-]|[(/:.-]\s*\p{L})|.*!)/su;
  const PIECES = ['-1', '+49 ', '0', '5,-', "cmd|' /C calc'!A0", 'A1', 'HYPERLINK(', '=', '@', '€', 'E5+'];
  const SEPARATORS = [',', ';', '\t', '|'];

  it.each(SEPARATORS)(
    'begin no formula in rows that %j separates, whatever a spreadsheet takes',
    (separator) => {
      const piece = fc.oneof(fc.constantFrom(...PIECES), character);
      const cell = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
      const style = { ...RFC_4180, separator };
      fc.assert(
        fc.property(fc.tuple(cell, cell), fc.boolean(), (row, keepsNumbers) => {
          const line = csvLines([row], { keepsNumbers, style }).slice(0, -2);
          for (const other of SEPARATORS) {
            const isOurs = other === separator;
            const theirs = line.split(other).flatMap((part) => part.split(LINE));
            for (const [index, text] of (isOurs ? parseRow(line, separator) : theirs).entries()) {
              const begun = index === 0 || isOurs ? text : text.replace(/^"+/, '');
              expect(begun).not.toMatch(/^[=@＝＋－＠]/);
              if (/^[+-]/.test(begun)) expect(keepsNumbers).toBe(true);
              expect(begun).not.toMatch(FORMULA);
            }
          }
        }),
        { numRuns: 2_000 },
      );
    },
  );
});

const LINE = /[\n\r\v\f\u0085\u2028\u2029]/;

/** The cells of a line as a spreadsheet with the right separator sees them. */
function parseRow(line: string, separator: string): string[] {
  const cell = `(?<=^|\\${separator})("(?:[^"]|"")*"|[^\\${separator}]*)(?=\\${separator}|$)`;
  return (line.match(new RegExp(cell, 'g')) ?? []).map((cell) =>
    cell.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'),
  );
}
