/** Runs each fault under load, waits until all work is done, and checks the books. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, NONE, round } from '../report.ts';
import { summarise } from './answers.ts';
import { createBatch } from './batches.ts';
import { type Books, type Judgement, judge, readBooks, readUnfinished, type Unfinished } from './books.ts';
import { FAULTS, type Fault, type Scene } from './faults.ts';
import { startWorld, type World } from './world.ts';

const CLIENTS = 80;
const FAULT_S = 30;
const BATCHES = 2;
const BATCH_SIZE = 2_000;
/**
 * Work that has not moved for this time counts as lost. What a process died over is verified alone, an address after the
 * other, so that the last ones may need minutes.
 */
const STUCK_S = 90;
const LOOK_MS = 250;

interface Found extends Judgement {
  readonly cells: readonly string[];
}

export async function measureFaults(isQuick: boolean): Promise<Figure> {
  const rows: string[][] = [];
  const targets: Figure['targets'][number][] = [];
  const notes: string[] = [];
  for (const fault of FAULTS) {
    const whyNot = fault.whyNot?.();
    if (whyNot !== undefined) {
      rows.push([fault.name, ...Array<string>(8).fill(NONE)]);
      notes.push(`${fault.name}: not tested, because ${whyNot}.`);
      targets.push({ text: `${fault.name}: is tested`, found: 'not tested', isMet: false, because: whyNot });
      continue;
    }
    const { cells, lost, chargedTwice } = await run(
      fault,
      isQuick ? FAULT_S / 4 : FAULT_S,
      isQuick ? 0.15 : 1,
    );
    rows.push([fault.name, ...cells]);
    notes.push(`${fault.name}: ${fault.how}`);
    const text = `${fault.name}: 0 lost, 0 charged twice`;
    const wrong = [...lost, ...chargedTwice];
    targets.push({ text, found: wrong.join(', ') || '0 lost, 0 charged twice', isMet: wrong.length === 0 });
  }
  return {
    title: 'Faults',
    how: `Two processes use one PostgreSQL. ${CLIENTS} clients verify for ${FAULT_S} s, and ${BATCHES} batches of ${BATCH_SIZE.toLocaleString('en')} addresses run. The fault happens meanwhile. A client whose connection breaks continues with its next address. Afterwards, the run waits until no verification and no batch is open, or nothing has moved for ${STUCK_S} s, and checks the database. *Lost* counts results without a charge. It also counts acknowledged batches that are missing or not completed. *Charged twice* counts verifications with two charges, and charges without a request. A request that was cut off or got a 249 may have a charge. It also counts the differences that the audit of the books finds.`,
    head: [
      'fault',
      'observed',
      'results',
      '249',
      'refused',
      'cut off',
      'work done after',
      'lost',
      'charged twice',
    ],
    rows,
    targets,
    notes,
  };
}

async function run(fault: Fault, seconds: number, share: number): Promise<Found> {
  const { options, environment = {}, end } = fault.prepare?.() ?? { end() {} };
  try {
    const world = await startWorld({ ...options, live: { greylistRetries: [1, 2] } });
    try {
      return await runIn(world, { fault, environment, seconds, share });
    } finally {
      await world.close();
    }
  } finally {
    end();
  }
}

interface Run {
  readonly fault: Fault;
  readonly environment: Record<string, string>;
  readonly seconds: number;
  readonly share: number;
}

async function runIn(world: World, { fault, environment, seconds, share }: Run): Promise<Found> {
  const services = [await world.startService(), await world.startService({ environment })];
  const scene: Scene = { world, services, seconds };
  const created = await Promise.all(
    Array.from({ length: BATCHES }, (_, number) =>
      createBatch(services[0]!, world.accounts[number]!, BATCH_SIZE * share),
    ),
  );
  const acknowledged = created.filter((id) => id !== undefined);
  const [answers, seen] = await Promise.all([
    world.load([...services], { clients: CLIENTS, seconds }),
    fault.happen(scene),
  ]);
  const { books, settledS } = await settle(world);
  const { lost, chargedTwice } = judge(books, answers, acknowledged);
  const summary = summarise(answers, seconds);
  const say = (wrong: readonly string[]) => wrong.join(', ') || '0';
  return {
    lost,
    chargedTwice,
    cells: [
      seen,
      String(summary.answered),
      String(summary.tryAgain),
      String(summary.refused),
      String(summary.others),
      `${round(settledS)} s`,
      say(lost),
      say(chargedTwice),
    ],
  };
}

/** Waits until all work has ended, or does not move any more. What is still open then counts as lost. */
async function settle({ db }: World): Promise<{ books: Books & Unfinished; settledS: number }> {
  const began = performance.now();
  const secondsSince = (since: number) => (performance.now() - since) / 1_000;
  let moved = began;
  let before = '';
  for (;;) {
    // The database may not be back yet.
    const left = await readUnfinished(db).catch(() => undefined);
    const now = JSON.stringify(left);
    if (now !== before) moved = performance.now();
    before = now;
    const isDone = left?.running === 0 && left.openBatches === 0;
    if (left && (isDone || secondsSince(moved) > STUCK_S)) {
      return { books: { ...left, ...(await readBooks(db)) }, settledS: secondsSince(began) };
    }
    if (secondsSince(moved) > 2 * STUCK_S) throw new Error('Expected the database to be back by now.');
    await pause(LOOK_MS);
  }
}
