/** Converts PostgreSQL's values to JavaScript's. */
import pg from 'pg';

/** For the option `types` of `pg`, which by default returns `bigint` columns as text. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary' = 'text') =>
    oid === pg.types.builtins.INT8
      ? readSafeInteger
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

function readSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`Expected a safe integer from the database, got ${text}.`);
  return value;
}
