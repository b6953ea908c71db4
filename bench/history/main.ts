/** The command line of the history bench. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { silentLog } from '../../src/service/core/log.ts';
import { openDatabase } from '../../src/service/database/database.ts';
import { startEmbedded } from '../../src/service/database/embedded/start-embedded.ts';
import { fillBlock } from '../load/docs.ts';
import { countsAt, fillHistory } from './fill.ts';
import { BOUNDS, faultOf, type Measured, measureStatements } from './measure.ts';
import { dearestOfEach, everyStatement, HISTORY_RESULTS, wholeReport } from './report.ts';

const USAGE =
  'npm run bench:history -- [--scale 0.1] [--json] [--only NAME] [--database postgres://user:password@host/name]';
/** With it, a few rows of everything are there. */
const NEARLY_EMPTY = 0.0001;

interface Options {
  readonly scale: number;
  readonly isJson: boolean;
  readonly only: string | undefined;
  readonly url: string | undefined;
}

export async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === undefined) {
    console.error(`Expected ${USAGE}, got ${words.join(' ')}.`);
    return 2;
  }
  if (options.url !== undefined) return compare(options.url, options);
  const folder = mkdtempSync(join(tmpdir(), 'bench-history-'));
  const server = await startEmbedded(join(folder, 'data'));
  try {
    const { host, user, password, database } = server.connection;
    const url = `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}`;
    return await compare(url, options);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function readOptions(words: readonly string[]): Options | undefined {
  const rest = [...words];
  const take = (name: string) => {
    const at = rest.indexOf(name);
    return at < 0 ? undefined : rest.splice(at, 2)[1];
  };
  const scale = Number(take('--scale') ?? 1);
  const [url, only] = [take('--database'), take('--only')];
  const isJson = rest.includes('--json');
  const isUnderstood = rest.every((word) => word === '--json') && scale > 0 && scale <= 10;
  return isUnderstood ? { scale, isJson, only, url } : undefined;
}

/** Measures a nearly empty database beside the filled one. A database that the bench has filled before is used again. */
async function compare(url: string, { scale, isJson, only }: Options): Promise<number> {
  const beside = 'evw_history_nearly_empty';
  await onServer(url, `drop database if exists ${beside}`, `create database ${beside} template template0`);
  const urlBeside = url.replace(/^([a-z]+:\/\/[^/?]*)\/?[^?]*/, `$1/${beside}`);
  let empty: Measured[];
  try {
    await prepare(urlBeside, NEARLY_EMPTY, () => {});
    empty = await measureStatements(urlBeside, { only });
  } finally {
    await onServer(url, `drop database ${beside}`);
  }
  const start = performance.now();
  const step = (what: string) =>
    console.error(`${((performance.now() - start) / 1000).toFixed(0)} s: ${what}`);
  await prepare(url, scale, step);
  step('statements');
  const filled = await measureStatements(url, { only });
  step('done');
  const faults = filled.filter((one) => faultOf(one) !== undefined);
  if (isJson) {
    const lines = filled.map((one, index) => ({
      ...one,
      nearlyEmpty: empty[index],
      fault: faultOf(one) ?? null,
    }));
    console.log(
      JSON.stringify({ scale, rows: countsAt(scale), bounds: BOUNDS, statements: lines }, undefined, 2),
    );
  } else {
    console.log(everyStatement(filled, empty));
    for (const one of faults)
      console.log(`${one.store}: ${one.name} ${faultOf(one)}: ${one.reads.join(', ')}`);
  }
  if (scale === 1 && only === undefined) {
    writeFileSync(HISTORY_RESULTS, wholeReport(filled, empty));
    fillBlock('history', dearestOfEach(filled, empty));
    console.error(`Written to ${HISTORY_RESULTS} and docs/scaling.md.`);
  }
  console.error(`${filled.length} ways to call the stores, ${faults.length} of them break their bound.`);
  return faults.length === 0 ? 0 : 1;
}

async function prepare(url: string, scale: number, onStep: (what: string) => void): Promise<void> {
  const database = openDatabase({ url }, { log: silentLog });
  await database.ready;
  await database.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ filled: number; others: number }>(
      `select count(*) filter (where owner_email ~ '^owner-[0-9]+@shop.example$') as filled, count(*) as others from (
         select owner_email from accounts limit 10
       ) as first_ones`,
    );
    const { filled, others } = rows[0]!;
    if (others > filled)
      throw new Error('Expected an empty database, got one with accounts. Name another one.');
    if (Number(others) === 0) await fillHistory(client, scale, onStep);
  } finally {
    await client.end();
  }
}

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
