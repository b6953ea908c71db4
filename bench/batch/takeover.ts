/** Measures how soon other processes have the work of one that is killed or frozen. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Figure, round } from '../report.ts';
import type { Server } from '../service/server.ts';
import { newAddresses, seconds } from './addresses.ts';
import { type BatchWorld, startBatchWorld } from './world.ts';

const MAIL_SERVERS = 120;
const REPLY_MS = 50;
const PER_HOST = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
const COUNT = 6_000;
const LOOK_MS = 50;
/** How long a process stands still. */
const FROZEN_MS = 40_000;
const TARGET_KILLED_S = 5;
const TARGET_FROZEN_S = 35;

interface Loss {
  /** From the fault until nothing is claimed by the process. */
  readonly ms: number;
  /** How many addresses it had claimed. */
  readonly claimed: number;
  readonly isExact: boolean;
}

/** @param fault strikes the second of two processes. @returns what ends it */
async function measure(fault: (victim: Server) => Promise<(() => Promise<void>) | undefined>): Promise<Loss> {
  const world = await startBatchWorld({ mailServers: MAIL_SERVERS, replyMs: REPLY_MS, perHost: PER_HOST });
  const db = new pg.Client(world.database.connection);
  await db.connect();
  try {
    return await measureIn(world, db, fault);
  } finally {
    await db.end();
    await world.close();
  }
}

async function measureIn(
  world: BatchWorld,
  db: pg.Client,
  fault: Parameters<typeof measure>[0],
): Promise<Loss> {
  const [service, victim] = [await world.startService(), await world.startService()];
  const owner = await world.createAccount(service);
  const id = await owner.create(newAddresses(COUNT, MAIL_SERVERS));
  const ofVictim = `select count(*)::integer as claimed from batch_rows
    join processes on processes.id = process_id where pid = ${victim.pid}`;
  const claimedNow = async () => (await db.query<{ claimed: number }>(ofVictim)).rows[0]!.claimed;
  while ((await claimedNow()) < 100) await pause(LOOK_MS);
  const repair = await fault(victim);
  const began = performance.now();
  const claimed = await claimedNow();
  while ((await claimedNow()) > 0) await pause(LOOK_MS);
  const ms = performance.now() - began;
  await repair?.();
  const { total_counts: counts } = await owner.completed(id);
  return { ms, claimed, isExact: counts!.deliverable === COUNT && counts!.processed === COUNT };
}

export async function takeover(): Promise<Figure> {
  const killed = await measure(async (victim) => void (await victim.kill()));
  const frozen = await measure(async ({ pid }) => {
    process.kill(pid, 'SIGSTOP');
    const thaw = pause(FROZEN_MS).then(() => void process.kill(pid, 'SIGCONT'));
    return () => thaw;
  });
  const row = (name: string, { ms, claimed, isExact }: Loss) => [
    ...[name, String(claimed), `${round(seconds(ms))} s`, isExact ? 'exact' : 'not exact'],
  ];
  const target = (text: string, { ms, isExact }: Loss, most: number) => ({
    ...{ text: `${text} within ${most} s, and the batch is exact`, found: `${round(seconds(ms))} s` },
    isMet: seconds(ms) <= most && isExact,
  });
  return {
    title: 'A process that is killed or frozen',
    how: `A batch of ${COUNT.toLocaleString('en')} addresses at ${MAIL_SERVERS} organisations, whose mail servers take ${REPLY_MS} ms for each reply, in two processes. One of them gets SIGKILL, or SIGSTOP for ${seconds(FROZEN_MS)} s.`,
    head: ['', 'claimed by it', 'taken over after', 'batch'],
    rows: [row('killed', killed), row('frozen', frozen)],
    targets: [
      target('a killed process is replaced', killed, TARGET_KILLED_S),
      target('a frozen process is replaced', frozen, TARGET_FROZEN_S),
    ],
  };
}
