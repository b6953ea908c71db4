/**
 * Compares `src/service/database/functions/` with the functions and triggers that the migrations make.
 *
 * To change a function, edit its file, and add a migration that runs a copy of the new text. The copy is never edited
 * again. If the migration is there first, write the file with
 * `npx vitest run test/service/database/functions.test.ts --update`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';

const FOLDER = 'src/service/database/functions';

const database = await testDatabase();

interface Definition {
  readonly name: string;
  readonly definition: string;
  readonly triggers: readonly string[];
}

const { rows: DEFINITIONS } = await sql<Definition>`
  select proname as name, pg_get_functiondef(oid) as definition, array(
    select pg_get_triggerdef(pg_trigger.oid, true) from pg_trigger where tgfoid = pg_proc.oid order by tgname
  ) as triggers
  from pg_proc where pronamespace = 'public'::regnamespace order by proname collate "C"
`.execute(database.db);

/** PostgreSQL's own text, without the indentation of the migration, and with long lists of parameters in lines. */
function lay({ definition, triggers }: Definition): string {
  const [head = '', body = ''] = definition.replace(' public.', ' ').split('$function$');
  const indent = Math.min(...[...body.matchAll(/^ *(?=\S)/gm)].map(([spaces]) => spaces.length));
  const lines = head
    .replace(/^ /gm, '')
    .replace(/\((.{80,})\)$/gm, (_, list: string) => `(\n  ${list.replaceAll(', ', ',\n  ')}\n)`);
  const text = `${lines}$$${body.trimEnd().replaceAll(`\n${' '.repeat(indent)}`, '\n')}\n$$`;
  return [text, ...triggers].map((statement) => `${statement};\n`).join('\n');
}

it.each(DEFINITIONS)('has the text that the migrations make of $name', async (made) => {
  const file = join(FOLDER, `${made.name}.sql`);
  // The comment above is the maintainer's.
  const [comment] = (existsSync(file) ? readFileSync(file, 'utf8') : '').match(/^(?:--.*\n)*/)!;
  await expect(comment + lay(made)).toMatchFileSnapshot(resolve(file));
  expect(comment).not.toBe('');
});

it('has a file for each function, and no other', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(DEFINITIONS.map(({ name }) => `${name}.sql`));
});
