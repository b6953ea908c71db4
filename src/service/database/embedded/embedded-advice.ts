/** Words the messages of the embedded database. */
import { DatabaseError } from '../database-error.ts';

/**
 * Makes the error for an embedded database that cannot run here.
 *
 * @param why one sentence: what was expected and what was found @param remedy an instruction without its full stop. The
 * message adds the alternative, `DATABASE_URL`
 */
export function cannotEmbed(why: string, remedy?: string): DatabaseError {
  const otherWay = 'set DATABASE_URL to the postgres:// URL of a PostgreSQL server';
  const instruction = remedy ? `${remedy}, or ${otherWay}` : `S${otherWay.slice(1)}`;
  return new DatabaseError(`${why} ${instruction}.`);
}

/** The code of a system error, such as `EACCES`, or the text of any other error. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}
