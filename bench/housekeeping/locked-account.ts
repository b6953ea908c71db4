/** An account whose row is locked, as by an operator's transaction that stays open. */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Figure, round, withSpread } from '../report.ts';
import { spreadOf } from '../statistics.ts';
import { CONNECTIONS, keysOf, load, PER_SECOND } from './beside.ts';
import type { Scene } from './scene.ts';

const RUNS = 3;
const LOCKED_S = 12;
/** Requests of the locked account. */
const BETWEEN_MS = 50;
const TARGET_RATIO = 2;

export async function lockedAccount({ db, service, isQuick }: Scene): Promise<Figure> {
  const runs = isQuick ? 1 : RUNS;
  const seconds = isQuick ? 3 : LOCKED_S;
  const keys = keysOf(service);
  const locked = keys.pop()!;
  const found = { before: [] as number[], during: [] as number[] };
  await load(service, 2, keys);
  for (let run = 0; run < runs; run += 1) {
    found.before.push(await load(service, seconds, keys));
    const transaction = await db.startTransaction().execute();
    const { rows } = await sql`
      select from accounts where id = (
        select account_id from keys join key_values on key_values.key_id = keys.id
        where digest = sha256(convert_to(${locked}, 'UTF8'))
      ) for update
    `.execute(transaction);
    if (rows.length !== 1) throw new Error('Expected the account of a key, got none.');
    let isOver = false;
    const asking = (async () => {
      const asked: Promise<unknown>[] = [];
      while (!isOver) {
        const url = `${service.origin}/v1/verify?email=locked-${asked.length}@example.com`;
        asked.push(
          fetch(url, { headers: { authorization: `Bearer ${locked}` } }).then((answer) => answer.text()),
        );
        await pause(BETWEEN_MS);
      }
      await Promise.all(asked);
    })();
    found.during.push(await load(service, seconds, keys));
    isOver = true;
    await transaction.rollback().execute();
    await asking;
  }
  const ratios = spreadOf(found.during.map((during, run) => during / found.before[run]!));
  return {
    title: 'An account that is locked',
    how: `A transaction locks the row of an account for ${seconds} s, while it gets a request every ${BETWEEN_MS} ms. Meanwhile, ${PER_SECOND} requests of other accounts come in each second, over ${CONNECTIONS} connections. If one of them fails, the measurement ends with an error. Runs: ${runs}.`,
    head: ['', 'p99 before', 'p99 meanwhile', '÷ before'],
    rows: [
      [
        'requests of other accounts',
        withSpread(spreadOf(found.before), 'ms'),
        withSpread(spreadOf(found.during), 'ms'),
        withSpread(ratios),
      ],
    ],
    targets: [
      {
        text: `the p99 of other accounts stays within ${TARGET_RATIO} ×, and no request fails`,
        found: `${round(ratios.median)} ×`,
        isMet: ratios.median <= TARGET_RATIO,
      },
    ],
  };
}
