import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { emptyBeforeEach, testDatabase } from '../service/support/database.ts';

const database = await testDatabase();
const { db } = database;
emptyBeforeEach(db, 'proof_keys');

async function run(...parameters: string[]) {
  const { exitCode, output, error } = await runCommandLine(parameters, {
    environment: { DATABASE_URL: database.url },
    readFile: () => '',
    open: async () => ({ db, what: database.name, close: async () => {} }),
  });
  expect([exitCode, error]).toEqual([0, '']);
  return { output, printed: JSON.parse(output) };
}

it('lists no keys before the first start', async () => {
  expect((await run('proof-key', 'list')).printed).toEqual([]);
});

it('says from when the next key signs, and lists it beside the one that signs now', async () => {
  const first = (await run('proof-key', 'roll')).printed;
  const next = (await run('proof-key', 'roll')).printed;
  expect(next).toEqual({
    kid: expect.stringMatching(/^[\w-]{43}$/),
    state: 'waiting',
    made_at: expect.any(String),
    signs_from: expect.any(String),
    leaves_at: null,
  });
  expect(Date.parse(next.signs_from) - Date.parse(next.made_at)).toBe(3_602_000);
  const { printed } = await run('proof-key', 'list');
  expect(printed).toEqual([
    { ...first, leaves_at: new Date(Date.parse(next.signs_from) + 4_202_000).toISOString() },
    next,
  ]);
  expect(printed[0].state).toBe('signing');
});

it('replaces all keys at once, and says when verifiers forget the leaked one', async () => {
  await run('proof-key', 'roll');
  await run('proof-key', 'roll');
  const { printed } = await run('proof-key', 'roll', '--now');
  expect(printed).toMatchObject({ state: 'signing', note: expect.stringContaining('within an hour') });
  const { note: _, ...key } = printed;
  expect((await run('proof-key', 'list')).printed).toEqual([key]);
});

it('never prints the private part', async () => {
  const { output } = await run('proof-key', 'roll');
  const listed = await run('proof-key', 'list');
  const [row] = await db.selectFrom('proof_keys').selectAll().execute();
  const secret = String(row!.private_key);
  expect(secret).toHaveLength(43);
  expect(output + listed.output).not.toContain(secret);
});
