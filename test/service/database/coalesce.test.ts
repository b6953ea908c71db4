import { expect, it } from 'vitest';
import { coalesce } from '../../../src/service/database/coalesce.ts';

/** Runs that end when the test says so. */
function scripted() {
  const runs: { items: readonly string[]; end: (error?: Error) => void }[] = [];
  const runAll = (items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `${item}!`)));
      runs.push({ items, end });
    });
  return { runs, runAll };
}

it('sends a call of an idle process at once', () => {
  const { runs, runAll } = scripted();
  void coalesce(runAll, { atOnce: 1, most: 10 })('a');
  expect(runs.map(({ items }) => items)).toEqual([['a']]);
});

it('sends together what came while it waited, and gives each caller its own result', async () => {
  const { runs, runAll } = scripted();
  const run = coalesce(runAll, { atOnce: 1, most: 2 });
  const results = Promise.all(['a', 'b', 'c', 'd'].map(run));
  for (let next = 0; next < 3; next += 1) {
    await expect.poll(() => runs.length).toBe(next + 1);
    runs[next]!.end();
  }
  expect(await results).toEqual(['a!', 'b!', 'c!', 'd!']);
  expect(runs.map(({ items }) => items)).toEqual([['a'], ['b', 'c'], ['d']]);
});

it('runs several round trips at once', () => {
  const { runs, runAll } = scripted();
  const run = coalesce(runAll, { atOnce: 2, most: 10 });
  for (const item of ['a', 'b', 'c']) void run(item);
  expect(runs.map(({ items }) => items)).toEqual([['a'], ['b']]);
});

it('begins another round trip only beside one that takes long', async () => {
  const { runs, runAll } = scripted();
  const patient = coalesce(runAll, { atOnce: 2, most: 10, patienceMs: 60_000 });
  const answers = ['a', 'b', 'c'].map(patient);
  expect(runs.map(({ items }) => items)).toEqual([['a']]);
  runs[0]!.end();
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
  runs[1]!.end();
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!']);

  const { runs: slow, runAll: runSlow } = scripted();
  const impatient = coalesce(runSlow, { atOnce: 2, most: 10, patienceMs: 1 });
  const others = ['a', 'b', 'c'].map(impatient);
  await expect.poll(() => slow.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
  void impatient('d');
  slow[1]!.end();
  expect(await others[2]).toBe('c!');
  await expect.poll(() => slow.length).toBe(3);
});

it('gathers the calls of a busy process, unless they fill a round trip', async () => {
  const { runs, runAll } = scripted();
  const run = coalesce(runAll, { atOnce: 1, most: 3, gatherMs: 60_000 });
  void run('a');
  runs[0]!.end();
  for (const item of ['b', 'c']) void run(item);
  await expect.poll(() => runs.length).toBe(1);
  void run('d');
  expect(runs.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']]);

  const { runs: soon, runAll: runSoon } = scripted();
  const hasty = coalesce(runSoon, { atOnce: 1, most: 3, gatherMs: 1 });
  void hasty('a');
  soon[0]!.end();
  for (const item of ['b', 'c']) void hasty(item);
  await expect.poll(() => soon.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
});

it('does not let one call fail the others', async () => {
  const seen: (readonly string[])[] = [];
  const runAll = async (items: readonly string[]) => {
    seen.push(items);
    if (items.includes('bad')) throw new Error('bad item');
    return items;
  };
  const run = coalesce(runAll, { atOnce: 1, most: 10 });
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map(run));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual([['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']]);
});

it('fails all calls when the database is away, because they may have been done', async () => {
  const { runs, runAll } = scripted();
  const run = coalesce(runAll, { atOnce: 1, most: 10 });
  const results = Promise.allSettled(['a', 'b', 'c'].map(run));
  runs[0]!.end();
  await expect.poll(() => runs.length).toBe(2);
  runs[1]!.end(new Error('Connection terminated unexpectedly'));
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(runs).toHaveLength(2);
});
