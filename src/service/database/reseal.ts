/** Which keys the stored secrets need, and sealing those that are in clear or have an older key. */
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from './database-error.ts';
import type { Db } from './schema.ts';
import { KEY_ID_LENGTH, PLACES, type Place, type Secrets, type StoredPair, secretsOf } from './secrets.ts';

/** How many rows are read at once. */
const CHUNK = 500;

function columnsOf(place: Place) {
  const [table, column] = place.split('.') as [string, string];
  const sealed = sql.ref(`sealed_${column}`);
  return {
    table: sql.table(table),
    clear: sql.ref(column),
    sealed,
    /** The name of the key in the sealed form. The partial indexes have the same expression. */
    keyId: sql`left(${sealed}, ${sql.lit(KEY_ID_LENGTH)})`,
  };
}

/**
 * Call it before secrets are used.
 *
 * @throws {DatabaseError} if a stored secret is sealed with a key that is not in the key file
 */
export async function checkSecretsKeys(db: Kysely<unknown>, { keyIds }: Secrets): Promise<void> {
  for (const place of PLACES) {
    const { table, sealed, keyId } = columnsOf(place);
    // Steps from one key to the next by the index, so it reads a row for each key.
    const { rows } = await sql<{ key_id: string }>`
      with recursive used as (
        (select ${keyId} as key_id from ${table} where ${sealed} is not null order by 1 limit 1)
        union all
        select (select ${keyId} from ${table} where ${sealed} is not null and ${keyId} > used.key_id order by 1 limit 1)
        from used where used.key_id is not null
      )
      select key_id from used where key_id is not null
    `.execute(db);
    const missing = rows.find(({ key_id }) => !keyIds.includes(key_id));
    if (!missing) continue;
    const got = keyIds.length === 0 ? 'no secretsKeyFile' : `a file with ${keyIds.join(', ')}`;
    throw new DatabaseError(
      `Expected the key ${missing.key_id} in secretsKeyFile, because secrets in the database are sealed with it, got ${got}. Add this key to the file.`,
    );
  }
}

/** How many secrets were sealed. */
export interface Resealed {
  /** They were in clear. */
  readonly sealed: number;
  /** They were sealed with another key. */
  readonly resealed: number;
}

/**
 * Seals all secrets with the first key. It runs beside a service: each secret is a statement of its own, which changes
 * nothing if somebody else has changed the secret.
 *
 * @throws {SecretError} for a sealed secret that cannot be opened
 */
export async function resealSecrets(db: Db): Promise<Resealed> {
  const secrets = secretsOf(db);
  const counts = { sealed: 0, resealed: 0 };
  for (const place of PLACES) await resealPlace(db, secrets, place, counts);
  return counts;
}

type Row = StoredPair & { readonly id: string };

async function resealPlace(
  db: Db,
  secrets: Secrets,
  place: Place,
  counts: { sealed: number; resealed: number },
): Promise<void> {
  const { table, clear, sealed, keyId } = columnsOf(place);
  for (let last = ''; ; ) {
    const { rows } = await sql<Row>`
      select id, ${clear} as clear, ${sealed} as sealed from ${table}
      where id > ${last} and (${clear} is not null or ${keyId} <> ${secrets.keyId!})
      order by id limit ${CHUNK}
    `.execute(db);
    if (rows.length === 0) return;
    for (const row of rows) {
      const { id, ...before } = row;
      const after = secrets.seal(place, id, secrets.open(place, id, before));
      const { numAffectedRows = 0n } = await sql`
        update ${table} set ${clear} = ${after.clear}, ${sealed} = ${after.sealed}
        where id = ${id} and ${clear} is not distinct from ${before.clear}
          and ${sealed} is not distinct from ${before.sealed}
      `.execute(db);
      // Somebody else has changed the secret meanwhile. The next chunk begins with it, if it still needs a seal.
      if (numAffectedRows === 0n) break;
      counts[before.sealed === null ? 'sealed' : 'resealed'] += 1;
      last = id;
    }
  }
}
