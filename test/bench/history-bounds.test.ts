import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillHistory } from '../../bench/history/fill.ts';
import { BOUNDS, type Measured, measureStatements } from '../../bench/history/measure.ts';
import { testDatabase } from '../service/support/database.ts';

/** Two databases that differ in their history. */
const young = await testDatabase();
const old = await testDatabase();
const SCALES = [
  [young, 0.0001],
  [old, 0.02],
] as const;

const measured: Measured[][] = [];

beforeAll(async () => {
  for (const [{ url }, scale] of SCALES) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await fillHistory(client, scale);
    await client.end();
    measured.push(await measureStatements(url, { isSmall: true }));
  }
});

describe('a database with the history of years', () => {
  it('makes no statement read more pages than its bound, beside what it reads without a history', () => {
    const [before, after] = measured;
    const dearer = after!.flatMap(({ by, store, name, what, buffers, reads }, index) => {
      if (by === 'operator') return [];
      const { buffers: young } = before![index]!;
      // What works on as much in both may find more in an index.
      return buffers > BOUNDS[by].buffers + 1.5 * young ? [[store, name, what, young, buffers, reads]] : [];
    });
    expect(dearer).toEqual([]);
  });

  it('makes no statement read a table whole that grows', () => {
    const scans = measured[1]!.filter(({ by, scans: tables }) => by !== 'operator' && tables.length > 0);
    expect(scans.map(({ store, name, what, scans: tables }) => [store, name, what, tables])).toEqual([]);
  });
});
