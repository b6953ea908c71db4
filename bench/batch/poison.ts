/** Measures the pace of a batch beside another one, over whose address the processes die. */
import { once } from 'node:events';
import { domainOf } from '../engine/places.ts';
import { type Figure, type Part, round } from '../report.ts';
import { spreadOf } from '../statistics.ts';
import { newAddresses, seconds, timed } from './addresses.ts';
import { startBatchWorld } from './world.ts';

const MAIL_SERVERS = 120;
const REPLY_MS = 100;
const PER_HOST = { connections: 4, perMinute: 1_000_000, recipientsPerConnection: 20 };
const COUNT = 5_000;
const POISONED = 200;
const POISON = 'poison';
const PROCESSES = 2;
const DEATHS = 3;
const RUNS = 3;
const TARGET_SHARE = 0.5;

interface Run {
  /** Addresses of the other batch in a second. */
  readonly pace: number;
  readonly deaths: number;
  /** What became of the poisoned batch. */
  readonly given: number;
}

export async function measurePoison(isQuick: boolean): Promise<Part> {
  const runs = isQuick ? 1 : RUNS;
  const count = isQuick ? COUNT / 10 : COUNT;
  const undisturbed: Run[] = [];
  const disturbed: Run[] = [];
  for (let run = 0; run < runs; run += 1) {
    undisturbed.push(await measure(count, false));
    disturbed.push(await measure(count, true));
  }
  return { title: 'Poison', figures: [report(count, undisturbed, disturbed)] };
}

/** @param isPoisoned whether the first batch has the address */
async function measure(count: number, isPoisoned: boolean): Promise<Run> {
  const world = await startBatchWorld({ mailServers: MAIL_SERVERS, replyMs: REPLY_MS, perHost: PER_HOST });
  const environment = { POISON, NODE_OPTIONS: '--import ./bench/batch/poison-probe.mjs' };
  const over = new AbortController();
  const isOver = once(over.signal, 'abort');
  let deaths = 0;
  /** A worker, and another one after each death. It can die before it is ready. */
  const keepOn = async () => {
    while (!over.signal.aborted) {
      const worker = await world.startService({ role: 'worker', environment }).catch(() => undefined);
      await Promise.race([worker?.ended, isOver]);
      if (!over.signal.aborted) deaths += 1;
    }
  };
  try {
    // It takes the requests, and verifies nothing.
    const web = await world.startService({ role: 'web' });
    const [poisoner, other] = [await world.createAccount(web), await world.createAccount(web)];
    const workers = Array.from({ length: PROCESSES }, keepOn);
    const [first, ...addresses] = newAddresses(POISONED, MAIL_SERVERS);
    // The workers run before anything is measured.
    await other.completed(await other.create(newAddresses(MAIL_SERVERS, MAIL_SERVERS)));
    const id = await poisoner.create([...addresses, isPoisoned ? `${POISON}@${domainOf(0)}` : first!]);
    const { ms } = await timed(async () =>
      other.completed(await other.create(newAddresses(count, MAIL_SERVERS))),
    );
    const { total_counts: counts } = await poisoner.completed(id);
    over.abort();
    await Promise.all(workers);
    return { pace: count / seconds(ms), deaths, given: counts!.unknown! };
  } finally {
    over.abort();
    await world.close();
  }
}

function report(count: number, undisturbed: readonly Run[], disturbed: readonly Run[]): Figure {
  const median = (runs: readonly Run[]) => spreadOf(runs.map(({ pace }) => pace)).median;
  const share = median(disturbed) / median(undisturbed);
  const say = (runs: readonly Run[], one: (run: Run) => string) => runs.map(one).join(', ');
  const row = (name: string, runs: readonly Run[]) => [
    ...[name, say(runs, ({ pace }) => round(pace)), say(runs, ({ deaths }) => String(deaths))],
    say(runs, ({ given }) => String(given)),
  ];
  return {
    title: 'A batch beside an address that ends processes',
    how: `${PROCESSES} workers, of which each is started again after its death. An account has a batch of ${POISONED} addresses. A worker that sends one of them to its mail server gets SIGKILL. Another account then creates a batch of ${count.toLocaleString('en')}, at ${MAIL_SERVERS} organisations whose mail servers take ${REPLY_MS} ms for each reply. Each figure has ${undisturbed.length} runs, in turn without and with the address.`,
    head: ['', 'addresses per second of the other batch', 'deaths', 'unknown in the first batch'],
    rows: [row('without the address', undisturbed), row('with it', disturbed)],
    targets: [
      {
        text: `the other batch keeps at least ${TARGET_SHARE * 100} % of its pace (medians)`,
        found: `${round(share * 100)} %`,
        isMet: share >= TARGET_SHARE,
      },
      {
        text: `the address is given up after ${DEATHS} deaths, as unknown`,
        found: `${say(disturbed, ({ deaths }) => String(deaths))} deaths, ${say(disturbed, ({ given }) => String(given))} unknown`,
        isMet: disturbed.every(({ deaths, given }) => deaths === DEATHS && given === 1),
      },
    ],
  };
}
