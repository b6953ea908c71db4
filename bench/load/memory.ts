/** Memory over an hour's work. The waits of the hour are shortened, and none of its work is left out. */
import { type Figure, round } from '../report.ts';
import { slope } from '../statistics.ts';
import { startWorld } from './world.ts';

/** What an hour has: so many verifications in a second. */
const PER_SECOND = 10;
const HOUR_S = 3_600;
/** The delays of mail servers are divided by it, and as many more come in a second. */
const TIMES = 25;
const CLIENTS = 100;
/** The hour in so many parts, after each of which memory is read. */
const PARTS = 8;
/** Of the hour's work, before it: what is allocated once, and what is compiled, is there by then. */
const WARM_UP = 0.2;
/** Flat: less for each verification than its address takes. */
const FLAT_MB = 0.5;
const MB = 1_000_000;

interface Point {
  readonly done: number;
  readonly heap: number;
  readonly rss: number;
}

export async function measureMemory(isQuick: boolean): Promise<Figure> {
  const whole = PER_SECOND * HOUR_S * (isQuick ? 0.03 : 1);
  const world = await startWorld({ config: { durations: { verifyAgain: Math.ceil(300 / TIMES) } } });
  try {
    await world.mail(`divide=${TIMES}`);
    const service = await world.startService();
    const work = (most: number) => world.load([service], { clients: CLIENTS, seconds: HOUR_S, most });
    await work(whole * WARM_UP);
    const points: Point[] = [{ done: 0, ...(await service.memory()) }];
    const began = performance.now();
    for (let part = 1; part <= PARTS; part += 1) {
      await work(whole / PARTS);
      points.push({ done: part / PARTS, ...(await service.memory()) });
    }
    return report(whole, (performance.now() - began) / 1_000, points);
  } finally {
    await world.close();
  }
}

function report(whole: number, seconds: number, points: readonly Point[]): Figure {
  const growth = slope(points.map(({ done, heap }) => [done, heap])) / MB;
  const quarters = points.filter((_, index) => index % (PARTS / 4) === 0);
  const mb = (value: number) => `${round(value / MB)} MB`;
  return {
    title: "Memory over an hour's work",
    how: `An hour of ${PER_SECOND} verifications in a second is ${whole.toLocaleString('en')} verifications. One process did all of them, with the SMTP conversation of each, in ${round(seconds)} s. Compressed: the delays of the mail servers are divided by ${TIMES}, and so is the time for which a result is free after a 249. Not compressed: the time limits of HTTP and of the database, and the housekeeping, whose intervals are real. Nothing is left out. No address comes twice. Memory is read after a collection: the heap with what hangs on it, and the resident set. Before, the process had done ${(whole * WARM_UP).toLocaleString('en')} others. The growth is that of the heap by least squares over ${PARTS + 1} readings.`,
    head: ['', ...quarters.map(({ done }) => `${done * 60} minutes`)],
    rows: [
      ['heap', ...quarters.map(({ heap }) => mb(heap))],
      ['resident set', ...quarters.map(({ rss }) => mb(rss))],
    ],
    targets: [
      {
        text: `flat: the heap grows by less than ${FLAT_MB} MB in an hour`,
        found: `${round(growth)} MB`,
        isMet: growth < FLAT_MB,
        because: 'something is kept of each verification',
      },
    ],
  };
}
