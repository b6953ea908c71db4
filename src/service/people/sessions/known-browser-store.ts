/** All SQL of known browsers: those in which a person has signed in. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';

/** The most known browsers of a person. Each sign-in of a program without cookies makes one. */
export const MOST_BROWSERS = 100;

/** Whether the person has signed in in this browser. */
export async function isKnownBrowser(db: Db, personId: string, id: Buffer): Promise<boolean> {
  const found = await db
    .selectFrom('known_browsers')
    .select('id')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst();
  return found !== undefined;
}

export interface BrowserOfPerson {
  readonly id: Buffer;
  readonly personId: string;
  readonly userAgent: string | null;
  readonly network: string | null;
}

/** Remembers a browser, or its latest sign-in. Above the most, those with the oldest sign-ins are forgotten. */
export async function rememberBrowser(
  db: Db,
  { id, personId, userAgent: user_agent, network }: BrowserOfPerson,
): Promise<void> {
  await db
    .insertInto('known_browsers')
    .values({ id, person_id: personId, user_agent, network })
    .onConflict((conflict) =>
      conflict
        .columns(['person_id', 'id'])
        .doUpdateSet({ user_agent, network, used_at: sql<Date>`clock_timestamp()` }),
    )
    .execute();
  await sql`
    delete from known_browsers where person_id = ${personId} and id in (
      select id from known_browsers where person_id = ${personId} order by used_at desc, id offset ${MOST_BROWSERS}
    )
  `.execute(db);
}

/** @returns how many there were: 0 or 1 */
export async function forgetBrowser(db: Db, personId: string, id: Buffer): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('known_browsers')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Forgets the browsers of a person. @param kept the one that stays @returns how many there were */
export async function forgetBrowsersOf(db: Db, personId: string, kept?: Buffer): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('known_browsers')
    .where('person_id', '=', personId)
    .$if(kept !== undefined, (query) => query.where('id', '<>', kept!))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** A known browser as the person sees it. */
export interface ListedBrowser {
  /** The digest in hexadecimal. It cannot be used as a cookie. */
  readonly id: string;
  readonly user_agent: string | null;
  readonly network: string | null;
  readonly created_at: Date;
  readonly used_at: Date;
}

/** The known browsers of a person without a session, the one with the latest sign-in first. */
export async function listBrowsersWithoutSession(db: Db, personId: string): Promise<ListedBrowser[]> {
  const { rows } = await sql<ListedBrowser>`
    select encode(id, 'hex') as id, user_agent, network, created_at, used_at
    from known_browsers as browser
    where person_id = ${personId} and not exists (
      select from sessions
      where sessions.person_id = ${personId} and browser_id = browser.id
        and least(expires_at, idle_at) > clock_timestamp()
    )
    order by used_at desc, id
  `.execute(db);
  return rows;
}

/** Forgets some browsers without a sign-in for a year: their cookies have ended. @returns whether there may be more */
export const forgetUnusedBrowsers = (db: Db): Promise<boolean> =>
  deleteSome(db, 'known_browsers', sql`used_at < statement_timestamp() - interval '1 year'`);
