/** Measures memory over an hour's work. It does all the work of an hour, with shorter waits. */
import { type Figure, round } from '../report.ts';
import { slope } from '../statistics.ts';
import { startWorld } from './world.ts';

/** The verifications per second of the hour. */
const PER_SECOND = 10;
const HOUR_S = 3_600;
/** Divides the delays of mail servers, and multiplies the verifications per second. */
const TIMES = 25;
const CLIENTS = 100;
/** The parts of the hour. Memory is read after each. */
const PARTS = 8;
/** The share of the hour's work for the warm-up: one-time allocations and compilation. */
const WARM_UP = 0.2;
/** The limit for flat memory: less per verification than the size of its address. */
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
