/** The SQL of the keys that sign proofs. The clock is the database's, so all processes agree on their states. */
import { type Selectable, sql } from 'kysely';
import type { Db, Schema } from '../database/schema.ts';
import { type StoredPair, secretsOf } from '../database/secrets.ts';
import type { KeyPair } from './key-pair.ts';
import { KNOWN_AFTER_S } from './proof-keys.ts';

const PLACE = 'proof_keys.private_key';

/** A key that is published. */
export interface StoredKey
  extends StoredPair,
    Pick<Selectable<Schema['proof_keys']>, 'x' | 'y' | 'proof_seconds' | 'made_at' | 'signs_from'> {
  readonly kid: string;
  readonly state: 'waiting' | 'signing' | 'retired';
  /** When it is published no longer. Null until the next key is made. */
  readonly leaves_at: Date | null;
  /** For how many seconds it has been signing. Negative for one that waits. */
  readonly signing_seconds: number;
}

/** All keys with their states. One that has left is still there until the housekeeping deletes it. */
const KEYS = sql`(
  select id as kid, x, y, private_key as clear, sealed_private_key as sealed, proof_seconds, made_at, signs_from,
    case
      when signs_from > statement_timestamp() then 'waiting'
      when lead(signs_from) over by_time <= statement_timestamp() then 'retired'
      else 'signing'
    end as state,
    lead(signs_from) over by_time + make_interval(secs => proof_seconds + ${sql.lit(KNOWN_AFTER_S)}) as leaves_at,
    extract(epoch from statement_timestamp() - signs_from)::float8 as signing_seconds
  from proof_keys window by_time as (order by signs_from, id)
) as all_keys`;

/** The published keys, the oldest first. */
export async function readProofKeys(db: Db): Promise<StoredKey[]> {
  const { rows } = await sql<StoredKey>`
    select * from ${KEYS} where leaves_at is null or leaves_at > statement_timestamp() order by signs_from, kid
  `.execute(db);
  return rows;
}

/** The whole key. */
export function openProofKey(db: Db, { kid, x, y, clear, sealed }: StoredKey): KeyPair {
  return { kid, x, y, d: secretsOf(db).open(PLACE, kid, { clear, sealed }) };
}

/** Keys are made one at a time, and read meanwhile. The lock ends with the transaction. */
export async function lockProofKeys(transaction: Db): Promise<void> {
  await sql`lock table proof_keys in share row exclusive mode`.execute(transaction);
}

/** Adds a key that signs in this many seconds. */
export async function insertProofKey(
  db: Db,
  { kid, x, y, d }: KeyPair,
  { inSeconds, proofSeconds }: { readonly inSeconds: number; readonly proofSeconds: number },
): Promise<void> {
  const { clear, sealed } = secretsOf(db).seal(PLACE, kid, d);
  await sql`
    insert into proof_keys (id, x, y, private_key, sealed_private_key, proof_seconds, made_at, signs_from)
    values (${kid}, ${x}, ${y}, ${clear}, ${sealed}, ${proofSeconds}, statement_timestamp(),
      statement_timestamp() + make_interval(secs => ${inSeconds}))
  `.execute(db);
}

/** Records that a process signs proofs that are valid for so long. */
export async function lengthenProofs(db: Db, proofSeconds: number): Promise<void> {
  await db
    .updateTable('proof_keys')
    .set({ proof_seconds: proofSeconds })
    .where('proof_seconds', '<', proofSeconds)
    .execute();
}

/** Deletes all keys but one. */
export async function deleteOtherProofKeys(db: Db, kid: string): Promise<void> {
  await db.deleteFrom('proof_keys').where('id', '<>', kid).execute();
}

/** Deletes the keys that are published no longer. */
export async function forgetProofKeys(db: Db): Promise<void> {
  await sql`
    delete from proof_keys where id in (select kid from ${KEYS} where leaves_at <= statement_timestamp())
  `.execute(db);
}
