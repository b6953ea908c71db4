/**
 * Measures two lists of the same domains: what the first has learnt of a domain, the second does not ask.
 *
 * An address costs a mail server three replies: to MAIL, RCPT and RSET. So does an impossible address. A conversation
 * costs two more: the banner, and the reply to EHLO. With one address for each domain, the second list therefore saves
 * three replies of eight, more than a third. With 50, the first list asks about one impossible address for 50 others,
 * and no service could save more than that.
 */
import { type Figure, round } from '../report.ts';
import { newAddresses, seconds, timed } from './addresses.ts';
import { startBatchWorld } from './world.ts';

const DOMAINS = 200;
const PER_HOST = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
const REPLIES_PER_ADDRESS = 3;
/** How many more replies the second list may need than the bound: how addresses share conversations varies. */
const LEEWAY = 1.01;
/** So slow that the time of a conversation is the time of its replies, also on a busy machine. */
const SLOW_REPLY_MS = 500;
/** The most that the second list's conversations may take of the first list's time. */
const MOST_SHARE = 2 / 3;

/** What became of one list. */
interface ListFigures {
  /** Addresses per second. */
  readonly pace: number;
  readonly impossible: number;
  readonly replies: number;
  readonly conversations: number;
  /** The time of all conversations together, in seconds. */
  readonly openS: number;
}

async function verifyTwice(count: number, replyMs: number): Promise<[ListFigures, ListFigures]> {
  const world = await startBatchWorld({ mailServers: DOMAINS, replyMs, perHost: PER_HOST });
  try {
    const owner = await world.createAccount(await world.startService());
    const verify = async (): Promise<ListFigures> => {
      const { ms } = await timed(async () =>
        owner.completed(await owner.create(newAddresses(count, DOMAINS))),
      );
      const { recipients, replies, conversations, openMs } = await world.takeMailCounts();
      const impossible = recipients - count;
      return { pace: count / seconds(ms), impossible, replies, conversations, openS: seconds(openMs) };
    };
    return [await verify(), await verify()];
  } finally {
    await world.close();
  }
}

/** @param count the addresses of each list, at least one for each domain */
export async function twoLists(count: number): Promise<Figure> {
  const [first, second] = await verifyTwice(count, 20);
  const repliesAtMost = first.replies - REPLIES_PER_ADDRESS * first.impossible;
  return {
    title: 'Two lists of the same domains',
    how: `Two batches, one after the other, of ${count.toLocaleString('en')} addresses each at ${DOMAINS} domains, whose mail servers take 20 ms for each reply and refuse an impossible address.`,
    head: HEAD,
    rows: rowsOf(first, second),
    targets: [
      noneAgain(first, second),
      {
        text: `the second list's conversations have the first list's replies without the ${REPLIES_PER_ADDRESS} to each impossible address: at most ${Math.floor(repliesAtMost * LEEWAY).toLocaleString('en')}, which is ${lessThan(first.replies, repliesAtMost)}`,
        found: `${second.replies.toLocaleString('en')}, ${lessThan(first.replies, second.replies)}`,
        isMet: second.replies <= repliesAtMost * LEEWAY,
      },
    ],
  };
}

export async function twoThinLists(): Promise<Figure> {
  const [first, second] = await verifyTwice(DOMAINS, SLOW_REPLY_MS);
  return {
    title: 'Two lists with one address for each domain',
    how: `As above, with ${DOMAINS} addresses in each list, and mail servers that take ${SLOW_REPLY_MS} ms for each reply.`,
    head: HEAD,
    rows: rowsOf(first, second),
    targets: [
      noneAgain(first, second),
      {
        text: "the second list's conversations take a third less time",
        found: lessThan(first.openS, second.openS),
        isMet: second.openS <= first.openS * MOST_SHARE,
      },
    ],
  };
}

const HEAD = ['', 'first list', 'second list'];

function rowsOf(first: ListFigures, second: ListFigures): string[][] {
  const row = (title: string, say: (list: ListFigures) => string) => [title, say(first), say(second)];
  return [
    row('addresses per second', ({ pace }) => round(pace)),
    row('impossible addresses asked about', ({ impossible }) => String(impossible)),
    row('conversations', ({ conversations }) => conversations.toLocaleString('en')),
    row('replies of the mail servers', ({ replies }) => replies.toLocaleString('en')),
    row('time of all conversations together', ({ openS }) => `${round(openS)} s`),
  ];
}

const noneAgain = (first: ListFigures, second: ListFigures) => ({
  text: `at most ${DOMAINS} impossible addresses for the first list, and none for the second`,
  found: `${first.impossible}, then ${second.impossible}`,
  isMet: first.impossible <= DOMAINS && second.impossible === 0,
});

/** How much less the second is, in per cent of the first. */
const lessThan = (first: number, second: number) => `${round((1 - second / first) * 100)} % less`;
