/**
 * Asks several name servers in turn, until one answers a question.
 *
 * Node's own resolver does not report the TTL of MX, TXT and PTR records, and it does not cache.
 */

import type { Signal } from '../signal.ts';
import { askServer } from './ask-server.ts';
import type { NameServer } from './name-servers.ts';
import type { DnsAnswer, Question } from './records.ts';

/** Milliseconds until the question is sent once more. It doubles each time, up to eight times as long. */
const FIRST_WAIT_MS = 1000;

/** Ends the wait after 47 seconds if no signal does. */
const MOST_ATTEMPTS = 8;

const NO_ANSWER: DnsAnswer = { lookup: { kind: 'no-answer' }, ttl: 0 };

/** An answer, and the server that gave it. */
export interface Exchange {
  readonly answer: DnsAnswer;
  readonly server: NameServer | undefined;
}

/**
 * Never rejects. It asks the next server if one is silent, unreachable or fails (`SERVFAIL`, `REFUSED`). A late answer
 * of an earlier server still counts.
 *
 * @param servers in the order in which to ask them
 */
export function exchange(
  question: Question,
  servers: readonly NameServer[],
  signal: Signal,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<Exchange> {
  return new Promise((resolve) => {
    if (signal.aborted || servers.length === 0) return resolve({ answer: NO_ANSWER, server: undefined });
    const closings: (() => void)[] = [];
    let asked = 0;
    let open = 0;
    let failure: Exchange | undefined;
    let timer: NodeJS.Timeout | undefined;

    const finish = (result: Exchange) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      for (const close of closings) close();
      resolve(result);
    };
    const stop = () => finish({ answer: NO_ANSWER, server: undefined });

    const end = (server: NameServer, answer: DnsAnswer | undefined) => {
      open -= 1;
      if (answer && answer.lookup.kind !== 'failed') return finish({ answer, server });
      if (answer) failure ??= { answer, server };
      if (asked < servers.length) ask();
      // All servers have been asked, and none can add anything.
      else if (open === 0 && failure) finish(failure);
    };

    const ask = () => {
      clearTimeout(timer);
      const isFirstRound = asked < servers.length;
      if (!isFirstRound && failure) return finish(failure);
      if (asked === MOST_ATTEMPTS) return stop();
      const server = servers[asked % servers.length]!;
      timer = setTimeout(ask, firstWaitMs * 2 ** Math.min(asked, 3));
      asked += 1;
      open += 1;
      closings.push(askServer(server, question, (answer) => end(server, answer)));
    };

    signal.addEventListener('abort', stop);
    ask();
  });
}
