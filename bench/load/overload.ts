/** Measures a process at twice its capacity: it refuses early, serves what it accepts, and recovers after the rush. */
import { type Figure, round } from '../report.ts';
import { quantile } from '../statistics.ts';
import { type Answer, secondsToRecover, summarise } from './answers.ts';
import { startWorld } from './world.ts';

const TIMES = 2;
const CALM_SHARE = 0.7;
const WARM_UP = { clients: 400, seconds: 8 };
const CALM_S = 15;
const RUSH_S = 15;
/** As many connections as a reverse proxy needs for it. */
const CONNECTIONS = 3_000;
const LONGEST_REFUSAL_MS = 1_000;
const LONGEST_RECOVERY_S = 3;
/** The allowed rise in the times of accepted requests. */
const P99_TIMES = 1.5;
/** The median counts as recovered within this distance from the median before. */
const P50_TIMES = 1.25;

/** @param capacity the results of one process per second */
export async function measureOverload(capacity: number, isQuick: boolean): Promise<Figure> {
  const share = isQuick ? 0.3 : 1;
  const world = await startWorld();
  try {
    const service = await world.startService();
    await world.load([service], { ...WARM_UP, seconds: WARM_UP.seconds * share });
    const calmS = CALM_S * share;
    const calmRate = capacity * CALM_SHARE;
    const calm = await world.load([service], {
      stages: [[calmRate, calmS]],
      connections: CONNECTIONS * share,
    });
    const rushS = RUSH_S * share;
    // One load, so that there is no gap between the rush and the recovery.
    const stages = [
      [capacity * TIMES, rushS],
      [calmRate, calmS],
    ] as const;
    const answers = await world.load([service], { stages });
    return report({ capacity, calm, answers, calmS, rushS });
  } finally {
    await world.close();
  }
}

interface Found {
  readonly capacity: number;
  readonly calm: readonly Answer[];
  readonly answers: readonly Answer[];
  readonly calmS: number;
  readonly rushS: number;
}

function report({ capacity, calm, answers, calmS, rushS }: Found): Figure {
  const endMs = rushS * 1_000;
  const before = summarise(calm, calmS);
  const during = summarise(
    answers.filter(([atMs]) => atMs < endMs),
    rushS,
  );
  const after = summarise(
    answers.filter(([atMs]) => atMs >= endMs),
    calmS,
  );
  const recovery = secondsToRecover(answers, endMs, endMs + calmS * 1_000, before.p50 * P50_TIMES);
  const late = quantile(
    answers.map(([, , , , lateMs]) => lateMs),
    0.99,
  );
  const row = (title: string, summary: ReturnType<typeof summarise>) => [
    title,
    round(summary.count),
    round(summary.perSecond),
    String(summary.tryAgain),
    String(summary.refused),
    String(summary.others),
    `${round(summary.p50)} ms`,
    `${round(summary.p99)} ms`,
    `${round(summary.refusalP99)} ms`,
  ];
  return {
    title: 'Twice what a process can do',
    how: `One process, which does ${round(capacity)} verifications a second by the table above (*most*). Requests arrive at random (Poisson), independently of the responses, over open connections, as from a reverse proxy. ${CALM_SHARE * 100} % of that rate arrives for ${calmS} s. ${TIMES} times that rate follows for ${rushS} s, and the first rate again for ${calmS} s. Each time begins when its request was due, so delays of the client count too. The client sent 99 % of its requests at most ${round(late)} ms late. The process has recovered when a second has no refusals, and its median is at most ${P50_TIMES} times that of before.`,
    head: [
      '',
      'requests',
      'results a second',
      '249',
      'refused (429, 503)',
      'broken',
      'p50',
      'p99',
      'p99 of refusals',
    ],
    rows: [row('before', before), row(`at ${TIMES} times`, during), row('after', after)],
    targets: [
      {
        text: `early refusals: 99 % of them within ${LONGEST_REFUSAL_MS} ms`,
        found: during.refused ? `${during.refused} refused, ${round(during.refusalP99)} ms` : 'no refusals',
        isMet: during.refused > 0 && during.refusalP99 <= LONGEST_REFUSAL_MS,
      },
      {
        text: `accepted requests stay fast: p99 at most ${P99_TIMES} times that of before`,
        found: `${round(during.p99 / before.p99)} ×`,
        isMet: during.p99 <= before.p99 * P99_TIMES,
      },
      { text: 'no connection breaks', found: String(during.others), isMet: during.others === 0 },
      {
        text: `recovers within ${LONGEST_RECOVERY_S} s`,
        found: `${round(recovery)} s`,
        isMet: recovery <= LONGEST_RECOVERY_S,
      },
    ],
  };
}
