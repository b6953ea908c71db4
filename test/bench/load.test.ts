import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, arrivals, secondsToRecover, summarise } from '../../bench/load/answers.ts';
import { type Books, judge, type Unfinished } from '../../bench/load/books.ts';
import { blockOf, LOAD_RESULTS, measuredBlock } from '../../bench/load/docs.ts';
import { KINDS, LONGEST_MS, replyMs, SHORTEST_MS } from '../../bench/load/organisations.ts';
import { seeded } from '../../bench/simulate/queue.ts';
import { quantile } from '../../bench/statistics.ts';

const answer = (atMs: number, tookMs: number, status = 200, costs = status === 200): Answer => [
  ...([atMs, tookMs, status, costs, 0] as const),
];

describe('mail servers', () => {
  it.each(KINDS)('reply around the median of their kind, and within the bounds: $name', (kind) => {
    const random = seeded(7);
    const times = Array.from({ length: 5_000 }, () => replyMs(kind, random));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(SHORTEST_MS);
    expect(Math.max(...times)).toBeLessThanOrEqual(LONGEST_MS);
    expect(Math.abs(quantile(times, 0.5) / kind.medianMs - 1)).toBeLessThan(0.05);
  });
});

describe('arrivals', () => {
  it('come at the rate of each stage, at random, and in order', () => {
    const due = arrivals(
      [
        [100, 50],
        [20, 50],
      ],
      seeded(1),
    );
    const first = due.filter((at) => at < 50_000);
    expect(Math.abs(first.length / 5_000 - 1)).toBeLessThan(0.05);
    expect(Math.abs((due.length - first.length) / 1_000 - 1)).toBeLessThan(0.1);
    expect(due).toEqual([...due].sort((a, b) => a - b));
    expect(Math.max(...due)).toBeLessThan(100_000);
  });
});

describe('the summary of a load', () => {
  it('separates results, 249s, refusals and the rest, with their times', () => {
    const answers = [
      ...[answer(0, 100), answer(1, 300), answer(2, 5_000, 249)],
      ...[answer(3, 10, 503), answer(4, 20, 429), answer(5, 1, 0), answer(6, 1, 500)],
    ];
    expect(summarise(answers, 2)).toMatchObject({
      ...{ count: 7, answered: 2, tryAgain: 1, refused: 2, others: 2, perSecond: 1, p50: 300 },
      refusalP99: expect.closeTo(20, 0),
    });
  });
});

describe('the time to recover', () => {
  it('ends with the first second without refusals whose median is within the bound', () => {
    const slow = Array.from({ length: 20 }, (_, index) => answer(1_000 + index * 100, 900));
    const refused = [answer(3_100, 5, 503)];
    const well = Array.from({ length: 30 }, (_, index) => answer(3_200 + index * 100, 100));
    expect(secondsToRecover([...slow, ...refused, ...well], 1_000, 7_000, 200)).toBe(3.25);
  });

  it('is NaN without a recovery', () => {
    expect(secondsToRecover([answer(0, 900), answer(1_500, 900)], 0, 3_000, 200)).toBeNaN();
    expect(secondsToRecover([], 0, 3_000, 200)).toBeNaN();
  });
});

describe('the books', () => {
  const WELL: Books & Unfinished = {
    ...{ charged: 2, running: 0, openBatches: 0, openRows: 0, batchIds: ['a'], differences: [] },
  };
  const ANSWERS = [answer(0, 1), answer(1, 1), answer(2, 1, 200, false), answer(3, 1, 503)];

  it('are right if each result has its charge', () => {
    expect(judge(WELL, ANSWERS, ['a'])).toEqual({ lost: [], chargedTwice: [] });
  });

  it('allow either charge for a request that was cut off or got a 249', () => {
    const answers = [...ANSWERS, answer(4, 1, 0), answer(5, 1, 249)];
    for (const charged of [2, 3, 4]) {
      expect(judge({ ...WELL, charged }, answers, [])).toEqual({ lost: [], chargedTwice: [] });
    }
    expect(judge({ ...WELL, charged: 5 }, answers, []).chargedTwice).toEqual(['1 charges without a request']);
  });

  it.each<[Partial<Books & Unfinished>, readonly string[], readonly string[]]>([
    [{ charged: 1 }, ['1 results without a charge'], []],
    [{ batchIds: [] }, ['1 acknowledged batches that are not there'], []],
    [{ openBatches: 2 }, ['2 batches that were not completed'], []],
    [{ running: 3 }, ['3 verifications that never ended'], []],
    [{ charged: 3 }, [], ['1 charges without a request']],
    [{ differences: ['balance'] }, [], ['1 differences in the books']],
  ])('report the fault: %j', (wrong, lost, chargedTwice) => {
    expect(judge({ ...WELL, ...wrong }, ANSWERS, ['a'])).toEqual({ lost, chargedTwice });
  });
});

describe('the page about scaling', () => {
  it('has the tables of the last complete run', () => {
    const shown = blockOf(readFileSync('docs/scaling.md', 'utf8'), 'measured');
    expect(shown).toBe(measuredBlock(readFileSync(LOAD_RESULTS, 'utf8')));
  });

  it('takes only the machine and the tables', () => {
    const text =
      '# Benchmark\n\n| Measured on |\n| --- |\n| a machine |\n\nWords.\n\n## Load\n\n### Faults\n\nHow.\n\n| a |\n| - |\n| 1 |\n\n- a note\n\n### Others\n\n| b |\n';
    expect(measuredBlock(text)).toBe(
      '| Measured on |\n| --- |\n| a machine |\n\n**Faults**\n\n| a |\n| - |\n| 1 |',
    );
    expect(measuredBlock('# Benchmark\n\nNothing.\n')).toContain('npm run bench:load');
  });

  it('refuses a page without the block', () => {
    expect(() => blockOf('# Scaling', 'measured')).toThrow('Expected the block "measured"');
  });
});
