/** Measures two lists of the same domains: what the first has learnt of a domain, the second does not ask. */
import { type Figure, round } from '../report.ts';
import { newAddresses, seconds, timed } from './addresses.ts';
import { startBatchWorld } from './world.ts';

const DOMAINS = 200;
const REPLY_MS = 20;
/** The most that the second list's conversations may take of the first list's time. */
const MOST_SHARE = 2 / 3;
const PER_HOST = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };

/** @param count the addresses of each list, at least one for each domain */
export async function twoLists(count: number): Promise<Figure> {
  const world = await startBatchWorld({ mailServers: DOMAINS, replyMs: REPLY_MS, perHost: PER_HOST });
  try {
    const owner = await world.createAccount(await world.startService());
    const verify = async () => {
      const { ms } = await timed(async () =>
        owner.completed(await owner.create(newAddresses(count, DOMAINS))),
      );
      const { recipients, openMs } = await world.takeMailCounts();
      return { pace: count / seconds(ms), impossible: recipients - count, openS: seconds(openMs) };
    };
    const [first, second] = [await verify(), await verify()];
    const share = second.openS / first.openS;
    const asked = `${first.impossible}, then ${second.impossible}`;
    return {
      title: 'Two lists of the same domains',
      how: `Two batches, one after the other, of ${count.toLocaleString('en')} addresses each at ${DOMAINS} domains, whose mail servers take ${REPLY_MS} ms for each reply and refuse an impossible address.`,
      head: ['', 'first list', 'second list'],
      rows: [
        ['addresses per second', round(first.pace), round(second.pace)],
        ['impossible addresses asked about', String(first.impossible), String(second.impossible)],
        ['time of all conversations together', `${round(first.openS)} s`, `${round(second.openS)} s`],
      ],
      targets: [
        {
          text: `at most ${DOMAINS} impossible addresses for the first list, and none for the second`,
          found: asked,
          isMet: first.impossible <= DOMAINS && second.impossible === 0,
        },
        {
          text: "the second list's conversations take a third less time",
          found: `${Math.round((1 - share) * 100)} % less`,
          isMet: share <= MOST_SHARE,
          because: `the second list saves only the ${first.impossible} impossible ones of ${count + first.impossible} recipients, since the first list asks a domain once as well. The time of a conversation grows with whatever else the processor does`,
        },
      ],
    };
  } finally {
    await world.close();
  }
}
