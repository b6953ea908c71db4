/** What requests notice while the housekeeping deletes very much. */
import { startHousekeeping, tasksOf } from '../../src/service/app/housekeeping.ts';
import { DEPS } from '../../test/service/support/deps.ts';
import { round, type Target, withSpread } from '../report.ts';
import { autocannon, type Client } from '../service/autocannon.ts';
import type { Server } from '../service/server.ts';
import { spreadOf } from '../statistics.ts';
import type { Scene } from './scene.ts';

const RUNS = 3;
/** Far below what the service can do, as on a common day. */
export const PER_SECOND = 100;
export const CONNECTIONS = 20;
const ROUND_S = 20;
const TARGET_RATIO = 1.5;

/** The rest of a sentence about how requests are sent. */
export const HOW_BESIDE = `while ${PER_SECOND} requests with live keys come in each second, over ${CONNECTIONS} connections. The housekeeping runs in another process than the requests. A round of requests takes ${ROUND_S} s, and the time until the last row is gone is measured to the end of a round.`;
export const HEAD_BESIDE = ['gone after', 'p99 before', 'p99 meanwhile', '÷ before'];

export interface Deletion {
  /** Makes what is deleted. */
  fill(): Promise<void>;
  /** The part that does not wait for the housekeeping. @default none */
  begin?(): Promise<void>;
  isLeft(): Promise<boolean>;
}

export interface Beside {
  /** The longest time until everything was gone, in seconds. */
  readonly longest: number;
  /** In the order of `HEAD_BESIDE`. */
  readonly cells: readonly string[];
  /** The requests must not notice it. */
  readonly target: Target;
  readonly runs: number;
}

/** Deletes in several runs. */
export async function measureBeside(
  { db, service, isQuick }: Scene,
  { fill, begin, isLeft }: Deletion,
): Promise<Beside> {
  const runs = isQuick ? 1 : RUNS;
  const seconds = isQuick ? 5 : ROUND_S;
  const found = { seconds: [] as number[], before: [] as number[], during: [] as number[] };
  await load(service, 2);
  for (let run = 0; run < runs; run += 1) {
    await fill();
    found.before.push(await load(service, seconds));
    const began = performance.now();
    const beginning = begin?.();
    const housekeeping = startHousekeeping({ log: DEPS.log, tasks: tasksOf({ ...DEPS, db }) });
    const times: number[] = [];
    // The last round may end after the last row.
    do times.push(await load(service, seconds));
    while (await isLeft());
    found.seconds.push((performance.now() - began) / 1_000);
    await beginning;
    await housekeeping.stop();
    found.during.push(spreadOf(times).median);
  }
  const ratios = spreadOf(found.during.map((during, run) => during / found.before[run]!));
  return {
    longest: Math.max(...found.seconds),
    cells: [
      withSpread(spreadOf(found.seconds), 's'),
      withSpread(spreadOf(found.before), 'ms'),
      withSpread(spreadOf(found.during), 'ms'),
      withSpread(ratios),
    ],
    target: {
      text: `the p99 of other requests stays within ${TARGET_RATIO} ×`,
      found: `${round(ratios.median)} ×`,
      isMet: ratios.median <= TARGET_RATIO,
    },
    runs,
  };
}

/** The live keys of a service, each of another account. */
export const keysOf = ({ said }: Server): string[] => /^keys (.*)$/m.exec(said)![1]!.split(' ');

/** @returns the p99 in milliseconds */
export async function load(service: Server, duration: number, keys = keysOf(service)): Promise<number> {
  let connection = 0;
  const result = await autocannon({
    url: `${service.origin}/v1/verify?email=[<id>]@example.com`,
    connections: CONNECTIONS,
    overallRate: PER_SECOND,
    idReplacement: true,
    duration,
    setupClient(client: Client) {
      client.setHeaders({ authorization: `Bearer ${keys[connection % keys.length]}` });
      connection += 1;
    },
  });
  if (result.errors || result.non2xx)
    throw new Error(`Expected answers only, got ${result.errors} errors and ${result.non2xx} refusals.`);
  return result.latency.p99;
}
