/** Asks name servers. Within the TTL of an answer, it sends the same question only once. */

import type { Signal } from '../signal.ts';
import { boundedTtl, createCache, FAILURE_TTL, NEGATIVE_TTL } from './cache.ts';
import { type NameServer, nameServers } from './name-servers.ts';
import { type DnsAnswer, type QuestionType, toQuestionName } from './records.ts';
import type { Lookup, Resolver } from './resolver.ts';
import { reverseName } from './reverse-name.ts';
import { createShared } from './shared.ts';
import { exchange } from './transport.ts';

type AnyLookup = DnsAnswer['lookup'];

export interface ResolverOptions {
  /** `ip:port`, `[ip]:port` or `ip`. @default the system's name servers, which are read again when they may have changed */
  readonly servers?: readonly string[] | undefined;
  /** Milliseconds of a clock that never goes back. @default `performance.now` */
  readonly now?: () => number;
  /** Milliseconds until a question is sent once more. Tests shorten it. */
  readonly firstWaitMs?: number;
}

/** The characters of all stored answers together: some 50,000 ordinary answers. */
const MOST_KEPT = 10_000_000;

/** @throws a `TypeError` for a server that is not one */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const { now = () => performance.now(), firstWaitMs } = options;
  const servers = nameServers(options.servers, now);
  const cache = createCache<AnyLookup>((lookup) => JSON.stringify(lookup).length, MOST_KEPT);
  const shared = createShared<AnyLookup>();
  let isClosed = false;
  /** The server that answered last. Without it, each question would first wait for a dead first server. */
  let preferred: NameServer | undefined;

  async function ask(key: string, name: string, type: QuestionType, signal: Signal): Promise<AnyLookup> {
    const order = preferredFirst(servers(), preferred);
    const { answer, server } = await exchange({ name, type }, order, signal, firstWaitMs);
    if (server && answer.lookup.kind !== 'failed') preferred = server;
    const ttl = lifetime(answer);
    if (ttl > 0) cache.set(key, answer.lookup, ttl, now());
    return answer.lookup;
  }

  async function look(text: string | undefined, type: QuestionType, signal: Signal): Promise<AnyLookup> {
    const name = text === undefined ? undefined : toQuestionName(text);
    // A name that does not fit into a question cannot be registered.
    if (name === undefined) return { kind: 'no-name' };
    const key = `${type} ${name}`;
    const known = cache.get(key, now());
    if (known) return known;
    if (isClosed) return { kind: 'no-answer' };
    const lookup = await shared.join(key, (ending) => ask(key, name, type, ending), signal);
    return lookup ?? { kind: 'no-answer' };
  }

  const texts = (name: string | undefined, type: Exclude<QuestionType, 'MX'>, signal: Signal) =>
    look(name, type, signal) as Promise<Lookup<string>>;

  return {
    mx: (name, signal) => look(name, 'MX', signal) as ReturnType<Resolver['mx']>,
    a: (name, signal) => texts(name, 'A', signal),
    aaaa: (name, signal) => texts(name, 'AAAA', signal),
    txt: (name, signal) => texts(name, 'TXT', signal),
    ptr: (ip, signal) => texts(reverseName(ip), 'PTR', signal),
    close() {
      isClosed = true;
      shared.close();
    },
  };
}

const TTLS = { 'no-name': NEGATIVE_TTL, 'no-records': NEGATIVE_TTL, failed: FAILURE_TTL, 'no-answer': 0 };

/** The seconds for which an answer is stored. */
function lifetime({ lookup, ttl }: DnsAnswer): number {
  return lookup.kind === 'found' ? boundedTtl(ttl) : TTLS[lookup.kind];
}

function preferredFirst(servers: readonly NameServer[], preferred: NameServer | undefined): NameServer[] {
  const isPreferred = ({ ip, port }: NameServer) => ip === preferred?.ip && port === preferred.port;
  return [...servers].sort((a, b) => Number(isPreferred(b)) - Number(isPreferred(a)));
}
