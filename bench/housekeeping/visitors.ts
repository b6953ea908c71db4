/** The visitors of a day, who are deleted after it. */
import { sql } from 'kysely';
import type { Db } from '../../src/service/database/schema.ts';
import { type Figure, round } from '../report.ts';
import { HEAD_BESIDE, HOW_BESIDE, measureBeside } from './beside.ts';
import type { Scene } from './scene.ts';

const VISITORS = 3_000_000;
const TARGET_S = 600;

export async function visitorsOfYesterday(scene: Scene): Promise<Figure> {
  const count = scene.isQuick ? VISITORS / 30 : VISITORS;
  const { longest, cells, target, runs } = await measureBeside(scene, {
    fill: () => fill(scene.db, count),
    isLeft: () => isLeft(scene.db),
  });
  const seconds = longest * (VISITORS / count);
  return {
    title: 'The visitors of yesterday',
    how: `${count.toLocaleString('en')} rows of \`visitors\` are deleted ${HOW_BESIDE} Runs: ${runs}.`,
    head: ['', ...HEAD_BESIDE],
    rows: [['visitors of yesterday', ...cells]],
    targets: [
      {
        text: `${VISITORS.toLocaleString('en')} are gone within ${TARGET_S / 60} minutes`,
        found: `${round(seconds)} s`,
        isMet: seconds <= TARGET_S,
      },
      target,
    ],
  };
}

/** A public key with visitors, who came yesterday. */
async function fill(db: Db, count: number): Promise<void> {
  await sql`
    insert into keys (id, account_id, kind, mode, trusted_domains)
    select 'key_visitors', id, 'public', 'live', '{shop.example}' from accounts limit 1 on conflict do nothing
  `.execute(db);
  // In parts, because the server ends a statement after some seconds.
  const part = 100_000;
  for (let from = 0; from < count; from += part) {
    await sql`
      insert into visitors (key_id, day, network, addresses)
      select 'key_visitors', (now() at time zone 'UTC')::date - 1, 'network ' || i,
        array[substr(sha256(i::text::bytea), 1, 16)]
      from generate_series(${from}::integer, ${from + Math.min(part, count - from) - 1}::integer) as i
    `.execute(db);
  }
  await sql`vacuum analyze visitors`.execute(db);
  await sql`checkpoint`.execute(db).catch(() => {});
}

async function isLeft(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from visitors where day < (now() at time zone 'UTC')::date limit 1
  `.execute(db);
  return rows.length > 0;
}
