/** A process for tests: it begins to ask about a domain, says so, and never ends. */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { silentLog } from '../../../../src/service/core/log.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { createStoredDomainFacts } from '../../../../src/service/verify/domains/stored-domain-facts.ts';
import { holdLease } from '../../support/process.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 2, types: columnTypes });
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
const processId = randomUUID();

await holdLease(process.env.DATABASE_URL!, processId);
const facts = createStoredDomainFacts({ db, processId, log: silentLog });
const domain = { name: 'company.example', organisation: 'host.example' };
const { kind } = await facts.claim(domain, new AbortController().signal);
process.stdout.write(`${JSON.stringify({ kind })}\n`);
