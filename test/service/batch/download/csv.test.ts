import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, csvHead, csvLines } from '../../../../src/service/batch/download/csv.ts';
import { type BatchResult, RESULT_FIELDS, toBatchResult } from '../../../../src/service/batch/fields.ts';
import { resultOf } from '../../support/result.ts';
import { parseCsv } from './readers.ts';

const result = (changes: object = {}) =>
  ({ ...toBatchResult(resultOf('ada@company.example')), ...changes }) as BatchResult;
/** The cells of one column. */
const cells = (...values: unknown[]) =>
  parseCsv(
    csvLines(
      ['user', 'state'],
      values.map((user) => result({ user })),
    ),
  ).map(([cell]) => cell);

describe('columns', () => {
  it('are the 20 fields in the order of the interface', () => {
    expect(csvHead(columnsOf(null))).toBe(
      'accept_all,did_you_mean,disposable,domain,email,first_name,free,full_name,gender,last_name,mailbox_full,mx_record,no_reply,reason,role,score,smtp_provider,state,tag,user\r\n',
    );
    expect(RESULT_FIELDS).toHaveLength(20);
  });

  it('are those that the owner wants', () => {
    const columns = columnsOf(['state', 'email']);
    expect(csvHead(columns)).toBe('state,email\r\n');
    expect(csvLines(columns, [result()])).toBe('deliverable,ada@company.example\r\n');
  });
});

describe('cells', () => {
  it('have null as nothing, booleans as words and numbers as digits', () => {
    const row = result({ accept_all: null, free: true, role: false, score: 0, mx_record: '' });
    expect(csvLines(['accept_all', 'free', 'role', 'score', 'mx_record'], [row])).toBe(',true,false,0,\r\n');
  });

  it.each(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])(
    'that begin with %j do not, and are the same after that',
    (first) => {
      const values = [first, `${first}1+1`, `${first}"a",b`, `${first}a\r\nb`, `${first}${first}`];
      expect(cells(...values)).toEqual(values.map((value) => `'${value}`));
    },
  );

  it('have quotes where they are needed only', () => {
    const values = ['a,b', 'a"b', 'a\nb', 'a\rb', 'plain', ' spaces ', 'a=b', "'a"];
    const lines = csvLines(
      ['user'],
      values.map((user) => result({ user })),
    );
    expect(lines).toBe(`"a,b"\r\n"a""b"\r\n"a\nb"\r\n"a\rb"\r\nplain\r\n spaces \r\na=b\r\n'a\r\n`);
  });

  it('keep their line when each line has one cell and it is empty', () => {
    const values = [null, '', 'x', null].map((tag) => result({ tag }));
    expect(csvLines(['tag'], values)).toBe('""\r\n""\r\nx\r\n""\r\n');
  });

  it('come back as they were, whatever they hold', () => {
    const character = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(
        '"',
        ',',
        '\r',
        '\n',
        '\t',
        '=',
        '+',
        '-',
        '@',
        "'",
        '\0',
        '\ufeff',
        '\u202e',
        '🙂',
        '＝',
      ),
    );
    const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
        const undone = cells(...texts).map((cell) => cell?.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, ''));
        // A text that begins with an apostrophe and a sign was sent so.
        const sent = texts.map((sent) => sent.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, ''));
        expect(undone).toEqual(sent);
      }),
      { numRuns: 150 },
    );
  });
});
