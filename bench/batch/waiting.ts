/** Measures batches with slow mail servers. */
import { type Figure, NONE, round } from '../report.ts';
import { newAddresses, seconds, timed } from './addresses.ts';
import { type BatchWorld, startBatchWorld, type WorldOptions } from './world.ts';

/** The defaults of the config. */
const USUAL = { connections: 2, perMinute: 60, recipientsPerConnection: 20 };
/** So many that no single organisation holds up all others. */
const MANY_SERVERS = 120;
const MANY = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
const SLOW_REPLY_MS = 200;
const TARGET_RATIO = 1.6;
const TARGET_S = 60;

async function inWorld<Result>(options: WorldOptions, use: (world: BatchWorld) => Promise<Result>) {
  const world = await startBatchWorld(options);
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}

/** @returns the milliseconds from its creation to its completion */
async function timeOfBatch(options: WorldOptions, count: number, processes: number): Promise<number> {
  return inWorld(options, async (world) => {
    const [service] = await Promise.all(Array.from({ length: processes }, () => world.startService()));
    const owner = await world.createAccount(service!);
    const emails = newAddresses(count, options.mailServers);
    return (await timed(async () => owner.completed(await owner.create(emails)))).ms;
  });
}

export async function twoProcesses(count: number): Promise<Figure> {
  const options = { mailServers: MANY_SERVERS, replyMs: SLOW_REPLY_MS, perHost: MANY };
  const one = count / seconds(await timeOfBatch(options, count, 1));
  const two = count / seconds(await timeOfBatch(options, count, 2));
  const ratio = `${round(two / one)} ×`;
  return {
    title: 'Two processes with slow mail servers',
    how: `A batch of ${count.toLocaleString('en')} addresses at ${MANY_SERVERS} organisations, whose mail servers take ${SLOW_REPLY_MS} ms for each reply.`,
    head: ['', 'addresses per second', '÷ one'],
    rows: [
      ['one process', round(one), NONE],
      ['two processes', round(two), ratio],
    ],
    targets: [
      {
        text: `two processes do at least ${TARGET_RATIO} times the work of one`,
        found: ratio,
        isMet: two / one >= TARGET_RATIO,
      },
    ],
  };
}

export async function slowServer(count: number): Promise<Figure> {
  const ms = await timeOfBatch({ mailServers: 1, replyMs: 10, perHost: USUAL }, count, 1);
  const found = `${round(seconds(ms))} s`;
  const what = `${count.toLocaleString('en')} addresses`;
  return {
    title: 'A mail server that takes 10 ms for each reply',
    how: `A batch of ${what} at one organisation, with the config's defaults: ${USUAL.connections} connections, ${USUAL.perMinute} conversations a minute, ${USUAL.recipientsPerConnection} recipients in a conversation.`,
    head: ['', 'completed after'],
    rows: [[what, found]],
    targets: [{ text: `${what} in under ${TARGET_S} s`, found, isMet: seconds(ms) < TARGET_S }],
  };
}
