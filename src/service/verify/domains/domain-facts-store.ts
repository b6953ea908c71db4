/** The SQL of the facts of domains. Its times are the database's. */
import { sql } from 'kysely';
import {
  type DomainFact,
  freshSeconds,
  LONGEST_CLAIM_S,
  type MailDomain,
  type ProbeAnswer,
} from '../../../engine/domains/domain-facts.ts';
import { deleteSome, MOST_DELETED } from '../../database/delete-some.ts';
import type { Db, Schema } from '../../database/schema.ts';

/** What is stored of a domain and still counts. */
export interface StoredFact extends MailDomain {
  /** Whether a conversation of a living process asks now. */
  readonly isAsked: boolean;
  /** The answer, if nobody asks. */
  readonly fact: DomainFact | undefined;
  /** Until when the fact counts, or the conversation may ask. */
  readonly until: Date;
}

/** @param at the time, for tests. By default it is the database's. */
const timeOf = (at: Date | undefined) => sql<Date>`coalesce(${at ?? null}::timestamptz, clock_timestamp())`;

const LONGEST_CLAIM = sql`make_interval(secs => ${LONGEST_CLAIM_S})`;

/** What is known of these domains. Of some there may be nothing. */
export async function readFacts(db: Db, names: readonly string[], at?: Date): Promise<StoredFact[]> {
  const { rows } = await sql<Schema['domain_facts'] & { is_asked: boolean }>`
    select domain, organisation, claim_id is not null as is_asked, accepts_all, server, code, learnt_at, until
    from domain_facts
    where domain = any(${names}::text[]) and until > ${timeOf(at)}
      and (process_id is null or (until <= ${timeOf(at)} + ${LONGEST_CLAIM} and is_process_alive(process_id)))
  `.execute(db);
  return rows.map(({ domain, organisation, is_asked, accepts_all, server, code, learnt_at, until }) => ({
    ...{ name: domain, organisation, isAsked: is_asked, until },
    fact: learnt_at ? { acceptsAll: accepts_all, server: server!, code, learntAt: learnt_at } : undefined,
  }));
}

/**
 * Takes the right to ask the servers of a domain, unless what is known still counts or another process asks.
 *
 * @param claimId another one for each claim @returns whether it has the right
 */
export async function claimFact(
  db: Db,
  processId: string,
  claimId: string,
  { name, organisation }: MailDomain,
  at?: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into domain_facts as fact (domain, organisation, process_id, claim_id, until)
    values (${name}, ${organisation}, ${processId}, ${claimId}, ${timeOf(at)} + ${LONGEST_CLAIM})
    on conflict (domain) do update set
      organisation = excluded.organisation, process_id = excluded.process_id, claim_id = excluded.claim_id,
      until = excluded.until, learnt_at = null, accepts_all = null, server = null, code = null
    where fact.until <= ${timeOf(at)} or case
      when fact.process_id is null then fact.organisation <> excluded.organisation
      -- It ends later only if the clock was set back. excluded.until may be older: it was made before the wait for the row.
      else fact.until > ${timeOf(at)} + ${LONGEST_CLAIM} or not is_process_alive(fact.process_id)
    end
  `.execute(db);
  return numAffectedRows === 1n;
}

/** Stores the answer of a claim, unless another one has taken its place. */
export async function storeAnswer(
  db: Db,
  name: string,
  claimId: string,
  answer: ProbeAnswer,
  at?: Date,
): Promise<void> {
  await sql`
    update domain_facts set
      process_id = null, claim_id = null, learnt_at = ${timeOf(at)},
      accepts_all = ${answer.acceptsAll}, server = ${answer.server}, code = ${answer.code},
      until = ${timeOf(at)} + make_interval(secs => ${freshSeconds(answer)})
    where domain = ${name} and claim_id = ${claimId}
  `.execute(db);
}

/** Ends a claim without an answer. */
export async function dropClaim(db: Db, name: string, claimId: string): Promise<void> {
  await db.deleteFrom('domain_facts').where('domain', '=', name).where('claim_id', '=', claimId).execute();
}

/** Forgets what is known of a domain. @returns whether anything was */
export async function forgetFact(db: Db, name: string): Promise<boolean> {
  const gone = await db.deleteFrom('domain_facts').where('domain', '=', name).executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

/** More are not kept. The database estimates their number, because to count them would take long. */
const MOST_FACTS = 1_000_000;

/**
 * Deletes some facts that count no more. If there are too many, it also deletes those that end first.
 *
 * @returns whether there may be more to delete
 */
export async function forgetFacts(db: Db, most = MOST_FACTS): Promise<boolean> {
  if (await deleteSome(db, 'domain_facts', sql`until < statement_timestamp()`)) return true;
  if ((await estimateExcess(db, most)) <= 0) return false;
  // The estimate may be of before the latest deletion, and facts that still count would be deleted for it.
  await sql`analyze (skip_locked) domain_facts`.execute(db);
  const excess = Math.min(await estimateExcess(db, most), MOST_DELETED);
  if (excess > 0) await deleteSoonest(db, excess);
  return false;
}

async function estimateExcess(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ excess: number }>`
    select reltuples::float8 - ${most} as excess from pg_class where oid = 'domain_facts'::regclass
  `.execute(db);
  return rows[0]!.excess;
}

async function deleteSoonest(db: Db, count: number): Promise<void> {
  await sql`
    delete from domain_facts where domain = any(array(
      select domain from domain_facts order by until limit ${count} for update skip locked
    ))
  `.execute(db);
}
