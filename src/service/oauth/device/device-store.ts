/** The SQL of the device flow (RFC 8628). */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { rolesWith } from '../../people/members/roles.ts';
import type { App } from '../apps/app-store.ts';

export interface NewDeviceRequest {
  readonly clientId: string;
  readonly deviceCode: Buffer;
  readonly userCode: Buffer;
  readonly seconds: number;
  readonly interval: number;
}

/** @returns false if the user code is taken, or if the app has been deleted */
export async function insertDeviceRequest(db: Db, request: NewDeviceRequest): Promise<boolean> {
  const { clientId, deviceCode, userCode, seconds, interval } = request;
  const { rows } = await sql`
    insert into device_requests (device_code, user_code, client_id, interval_seconds, expires_at)
    select ${deviceCode}, ${userCode}, client_id, ${interval}::integer,
      clock_timestamp() + make_interval(secs => ${seconds}::integer)
    from apps where client_id = ${clientId}
    for key share
    on conflict (user_code) do nothing
    returning client_id
  `.execute(db);
  return rows.length > 0;
}

/** The account that has allowed the device. Null or undefined if none has. */
export async function ownerOfDevice(db: Db, deviceCode: Buffer): Promise<string | null | undefined> {
  const found = await db
    .selectFrom('device_requests')
    .select('account_id')
    .where('device_code', '=', deviceCode)
    .executeTakeFirst();
  return found?.account_id;
}

/** The result of a poll without tokens. */
export type Polled = 'access_denied' | 'expired_token' | 'slow_down' | 'authorization_pending';

/**
 * Records a poll. A poll that comes too early adds 5 seconds to the interval for good (RFC 8628, section 3.5).
 *
 * @returns undefined if the app has no such device code
 */
export async function notePoll(db: Db, deviceCode: Buffer, clientId: string): Promise<Polled | undefined> {
  // Timers may fire slightly early, and a client that keeps the interval must not be refused.
  const { rows } = await sql<{ answer: Polled }>`
    with before as (
      select device_code, case
        when state = 'denied' then 'access_denied'
        when expires_at <= clock_timestamp() then 'expired_token'
        when polled_at + make_interval(secs => interval_seconds - 0.1) > clock_timestamp() then 'slow_down'
        else 'authorization_pending'
      end as answer
      from device_requests where device_code = ${deviceCode} and client_id = ${clientId} for update
    )
    update device_requests as requests set polled_at = clock_timestamp(),
      interval_seconds = interval_seconds + case answer when 'slow_down' then 5 else 0 end
    from before where requests.device_code = before.device_code
    returning answer
  `.execute(db);
  return rows[0]?.answer;
}

/** The app of a device that is waiting for a decision. */
export type WaitingApp = Pick<App, 'client_id' | 'name' | 'owner_email'>;

/** @returns undefined for a code that is unknown, expired, or already decided */
export async function findWaitingApp(db: Db, userCode: Buffer): Promise<WaitingApp | undefined> {
  return db
    .selectFrom('device_requests')
    .innerJoin('apps', 'apps.client_id', 'device_requests.client_id')
    .innerJoin('accounts', 'accounts.id', 'apps.account_id')
    .select(['apps.client_id', 'apps.name', 'accounts.owner_email'])
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** @returns whether the device still waited, and the person may allow apps in the account */
export async function allowWaiting(
  db: Db,
  userCode: Buffer,
  { accountId, personId }: { readonly accountId: string; readonly personId: string },
): Promise<boolean> {
  const { rows } = await sql`
    update device_requests set state = 'allowed', account_id = member.account_id, person_id = member.person_id
    from (
      select members.account_id, members.person_id from accounts join members on members.account_id = accounts.id
      where accounts.id = ${accountId} and members.person_id = ${personId} and deleted_at is null
        and members.role = any(${rolesWith('manageKeys')}::text[])
      for key share
    ) as member
    where user_code = ${userCode} and state = 'pending' and expires_at > clock_timestamp()
    returning user_code
  `.execute(db);
  return rows.length > 0;
}

/** @returns whether the device still waited */
export async function denyWaiting(db: Db, userCode: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('device_requests')
    .set({ state: 'denied' })
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Deletes some requests that expired more than an hour ago. Until then, polls get `expired_token`.
 *
 * @returns whether there may be more
 */
export const forgetDeviceRequests = (db: Db): Promise<boolean> =>
  deleteSome(db, 'device_requests', sql`expires_at <= statement_timestamp() - interval '1 hour'`);

/** Deletes some requests that an account has allowed, or that its apps have made. @returns whether there may be more */
export const forgetDeviceRequestsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(
    db,
    'device_requests',
    sql`account_id = ${accountId} or client_id = any(array(select client_id from apps where account_id = ${accountId}))`,
  );
