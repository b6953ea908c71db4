import { readdirSync, readlinkSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import {
  allOf,
  CollectedEntries,
  entriesOf,
  PART,
} from '../../../../src/service/batch/entries/collected-entries.ts';

/** The files without a name that this process has open for addresses. */
const files = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes('email-verify-list-');
    } catch {
      return false;
    }
  }).length;

/** As long as an address can be. */
const address = (number: number) => `${number}@company.example`.padStart(320, 'x');

it('hands its entries over in parts, in the order sent, each with its duplicates', async () => {
  const entries = new CollectedEntries();
  for (let number = 0; number < 2 * PART + 3; number += 1) entries.add(`u${number}`, `U${number}`);
  expect(['u0', 'u0', `u${PART}`].map((text) => entries.add(text, 'u'))).toEqual([0, 0, PART]);
  const sizes: number[] = [];
  for await (const part of entries.parts()) sizes.push(part.length);
  expect([entries.distinct, sizes]).toEqual([2 * PART + 3, [PART, PART, 3]]);
  const all = await allOf(entries);
  const spellings = Array.from({ length: 2 * PART + 3 }, (_, at) => `U${at}`);
  expect(all.map(({ address }) => address)).toEqual(spellings);
  expect(all.flatMap(({ duplicates }, place) => (duplicates > 0 ? [[place, duplicates]] : []))).toEqual([
    [0, 2],
    [PART, 1],
  ]);
});

it('keeps what is small in memory, and what is large in a file until it is closed', async () => {
  const [before, entries] = [files(), new CollectedEntries()];
  onTestFinished(() => entries.close());
  const counts: number[] = [];
  for (let number = 0; number < 60_000; number += 1) {
    entries.add(address(number), address(number));
    if (number % 20_000 !== 19_999) continue;
    await entries.save();
    counts.push(files() - before);
  }
  entries.add('\ud800\0', '\ud800\0');
  expect(counts).toEqual([0, 0, 1]);
  let place = 0;
  for await (const part of entries.parts())
    for (const entry of part) {
      if (entry.address !== (place < 60_000 ? address(place) : '\ud800\0')) expect(place).toBe(-1);
      place += 1;
    }
  expect(place).toBe(60_001);
  await entries.close();
  expect(files()).toBe(before);
});

it('cuts a list that is in memory into the same parts', async () => {
  const list = Array.from({ length: PART + 1 }, (_, place) => ({ address: `u${place}`, duplicates: 0 }));
  const sizes: number[] = [];
  for await (const part of entriesOf(list).parts()) sizes.push(part.length);
  expect(sizes).toEqual([PART, 1]);
  expect(await allOf(entriesOf(list))).toEqual(list);
});
