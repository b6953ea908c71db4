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
/** Hours of work for the warm-up: one-time allocations, compilation and caches still fill during most of the first. */
const WARM_UP = 1;
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
    how: `An hour of ${PER_SECOND} verifications a second is ${whole.toLocaleString('en')} verifications. One process did all of them in ${round(seconds)} s, each with its SMTP conversation. Before, it had done ${(whole * WARM_UP).toLocaleString('en')} others. Each address comes once. To save time, the mail servers reply ${TIMES} times faster, and the free time after a 249 is ${TIMES} times shorter. The time limits of HTTP and of the database, and the intervals of the housekeeping, are real. The readings are after a garbage collection: the heap with its external memory, and the resident set. The growth is that of the heap by least squares over ${PARTS + 1} readings.`,
    head: ['', ...quarters.map(({ done }) => `${done * 60} minutes`)],
    rows: [
      ['heap', ...quarters.map(({ heap }) => mb(heap))],
      ['resident set', ...quarters.map(({ rss }) => mb(rss))],
    ],
    targets: [
      {
        text: `the heap grows by less than ${FLAT_MB} MB in an hour`,
        found: `${round(growth)} MB`,
        isMet: growth < FLAT_MB,
        because: 'the process keeps something of each verification',
      },
    ],
  };
}
