import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withLiterals } from '../../bench/history/record.ts';
import { DEMO, SENDS_NOTHING, STATEMENTS } from '../../bench/history/statements.ts';

const ROOM = 'src/service';
/** Processes of older releases call it during an upgrade. */
const OLDER = ['begin_verifications', 'end_verifications', 'finish_verifications', 'pace_organisations'];

/** The exported functions of a store that get a database, by their text. */
const sendersOf = (store: string): string[] => {
  const text = readFileSync(`${ROOM}/${store}`, 'utf8');
  return text.split(/^(?=export )/m).flatMap((part) => {
    const [, name] = /^export (?:async )?(?:function\*?|const) (\w+)/.exec(part) ?? [];
    const isSender = /^export (?:async )?(?:function|const)[\s\S]*?\bdb: Db\b/.test(part.split(/^}/m)[0]!);
    return name !== undefined && isSender ? [name] : [];
  });
};

const STORES = readdirSync(ROOM, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('-store.ts') && name !== DEMO)
  .sort();

describe('the history bench', () => {
  it('knows every store', () => {
    expect(Object.keys(STATEMENTS).sort()).toEqual(STORES);
  });

  it.each(STORES)('calls every function of %s that sends something', (store) => {
    const senders = sendersOf(store).filter((name) => !SENDS_NOTHING.includes(`${store}: ${name}`));
    expect(Object.keys(STATEMENTS[store] ?? {}).sort()).toEqual(senders.sort());
  });

  it('reaches every function of the database by a store, by a trigger or by another function', () => {
    const folder = `${ROOM}/database/functions`;
    const texts = new Map(
      readdirSync(folder).map((file) => [
        file.replace('.sql', ''),
        readFileSync(`${folder}/${file}`, 'utf8'),
      ]),
    );
    const stores = STORES.map((store) => readFileSync(`${ROOM}/${store}`, 'utf8'));
    const unreached = [...texts].filter(([name, text]) => {
      const others = [...texts].flatMap(([other, its]) => (other === name ? [] : [its]));
      return (
        !text.includes('CREATE TRIGGER') && ![...stores, ...others].some((one) => one.includes(`${name}(`))
      );
    });
    expect(unreached.map(([name]) => name)).toEqual(OLDER);
  });

  it('writes parameters into a statement as the driver sends them', () => {
    const values = ["it's", 5, null, Buffer.from('ab'), ['a"b', null, '\\'], { a: 1 }, true];
    const literals = `'it''s' '5' null '\\x6162' '{"a\\"b",null,"\\\\"}' '{"a":1}' 'true'`;
    expect(withLiterals('$1 $2 $3 $4 $5 $6 $7', values)).toBe(literals);
  });
});
