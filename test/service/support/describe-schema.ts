/** The schema of a database as sorted text, read from PostgreSQL's catalog. */
import { sql } from 'kysely';
import type { Db } from '../../../src/service/database/schema.ts';

/** One line for each column, constraint and index of every table except Kysely's own, and for each function. */
export async function describeSchema(db: Db): Promise<string> {
  const { rows } = await sql<{ line: string }>`
    with tables as (
      select oid, relname, relpersistence from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'
    )
    select line from (
      select relname || ' is ' || case relpersistence when 'u' then 'unlogged' else 'logged' end as line from tables
      union all
      select relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
        || case when attnotnull then ' not null' else '' end
        || case when attidentity = 'a' then ' identity' else '' end
        || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
      from tables
      join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      union all
      -- PostgreSQL 18 lists "not null" here, PostgreSQL 15 does not.
      select relname || ' constraint ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
      from tables join pg_constraint on conrelid = tables.oid and contype <> 'n'
      union all
      select relname || ' index ' || pg_get_indexdef(indexrelid)
      from tables join pg_index on indrelid = tables.oid
      union all
      select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ')'
        || ' returns ' || pg_get_function_result(oid)
      from pg_proc where pronamespace = 'public'::regnamespace
    ) as lines
    order by line collate "C"
  `.execute(db);
  return `${rows.map(({ line }) => line).join('\n')}\n`;
}
