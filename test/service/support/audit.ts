/** What the audit log of an account has. */
import type { Selectable } from 'kysely';
import type { Db, Schema } from '../../../src/service/database/schema.ts';

type Column = Exclude<keyof Selectable<Schema['audit']>, 'id' | 'at' | 'account_id'>;

/** These columns of all entries, the oldest first. */
export const auditOf = <Name extends Column>(db: Db, accountId: string, ...columns: readonly Name[]) =>
  db.selectFrom('audit').select(columns).where('account_id', '=', accountId).orderBy('id').execute();
