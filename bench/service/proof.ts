/** Measures what the signed proof of a result adds to a request of a page. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, NONE, withSpread } from '../report.ts';
import { inTurn, spreadOf } from '../statistics.ts';
import { autocannon } from './autocannon.ts';
import { type Server, startServer } from './server.ts';

const KEY = 'test_public_bench';
const ORIGIN = 'https://shop.example';
/** The most processor time that a proof may add to a request. */
const MOST_US = 100;

const ROUNDS = 7;
const ROUND_S = 3;
const CONNECTIONS = 16;

/** Results without SMTP have no proof. Everything else of the two requests is the same. */
const ASKED = { proven: '', bare: '&smtp=false' } as const;
type Kind = keyof typeof ASKED;
const KINDS = Object.keys(ASKED) as Kind[];

/** A service without a database, whose key is a public one. */
export function startProvingService(folder: string): Promise<Server> {
  const config = join(folder, 'proving.json');
  const keys = [{ key: KEY, kind: 'public', trustedDomains: ['shop.example'] }];
  writeFileSync(config, JSON.stringify({ keys, limits: { verifyPerSecond: 1_000_000 } }));
  return startServer('dist/service/main.js', ['--config', config, '--port', '0']);
}

export async function measureProof(server: Server, isQuick: boolean): Promise<Figure> {
  const urlOf = (kind: Kind) =>
    `${server.origin}/v1/verify?api_key=${KEY}&email=jane.doe@example.com${ASKED[kind]}`;
  for (const kind of KINDS) {
    const { headers } = await fetch(urlOf(kind), { headers: { origin: ORIGIN } });
    if (headers.has('email-verify-proof') !== (kind === 'proven'))
      throw new Error(`Expected a proof only of a whole result, got the contrary for "${kind}".`);
  }
  const found: Record<Kind, { processor: number[]; perSecond: number[] }> = {
    proven: { processor: [], perSecond: [] },
    bare: { processor: [], perSecond: [] },
  };
  // The first round only warms up.
  for (let turn = 0; turn <= (isQuick ? 1 : ROUNDS); turn += 1) {
    for (const kind of inTurn(KINDS, turn)) {
      const before = await server.processor();
      const { requests, errors, non2xx } = await autocannon({
        url: urlOf(kind),
        connections: CONNECTIONS,
        headers: { origin: ORIGIN },
        duration: isQuick ? 1 : ROUND_S,
      });
      if (errors || non2xx) throw new Error(`Expected answers only, got ${errors + non2xx} others.`);
      if (turn === 0) continue;
      found[kind].processor.push(((await server.processor()) - before) / requests.total);
      found[kind].perSecond.push(requests.average);
    }
  }
  const added = spreadOf(
    found.proven.processor.map((processor, round) => processor - found.bare.processor[round]!),
  );
  const row = (title: string, kind: Kind, more: string) => [
    title,
    withSpread(spreadOf(found[kind].processor), 'µs'),
    more,
    withSpread(spreadOf(found[kind].perSecond)),
  ];
  return {
    title: 'Processor time of a signed proof',
    how: `A page asks with a public test key, over ${CONNECTIONS} connections, for ${ROUND_S} s with and without a proof in turn. Without one, it asks with \`smtp=false\`. "Added" compares the two of a round.`,
    head: ['', 'processor time', 'added', 'requests per second'],
    rows: [row('with a proof', 'proven', withSpread(added, 'µs')), row('without a proof', 'bare', NONE)],
    targets: [
      {
        text: `at most ${MOST_US} µs of processor time`,
        found: withSpread(added, 'µs'),
        isMet: added.median <= MOST_US,
        because: 'one signature takes 30 to 50 µs, and the claims and the header the rest',
      },
    ],
  };
}
