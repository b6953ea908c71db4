/** Measures how much time the first verdict saves if the connection is made while the visitor types. */
import { type Figure, round, withSpread } from '../../report.ts';
import { inTurn, median, spreadOf } from '../../statistics.ts';
import { ASKING, CANDIDATES, type Candidate } from '../candidates/index.ts';
import { those } from '../compare.ts';
import type { Lab } from '../lab.ts';

const ROUNDS = 3;
const HANDSHAKE_MS = 300;
/** Smaller differences are noise between runs. */
const SAVED_SHARE = 0.8;
const ADDRESS = 'jordan.peterson@example.com';
/** Long enough that typing takes longer than the handshake. */
const KEY_MS = 20;

export async function connection(lab: Lab): Promise<Figure> {
  const found = new Map<Candidate, { asIs: number[]; without: number[] }>(
    ASKING.map((candidate) => [candidate, { asIs: [], without: [] }]),
  );
  lab.site.handshakeMs = HANDSHAKE_MS;
  for (let round = 0; round < lab.rounds(ROUNDS); round += 1) {
    const asking = those(lab, ASKING);
    for (const each of inTurn(asking, round)) {
      found.get(each)!.asIs.push(await firstAnswer(lab, each));
      found.get(each)!.without.push(await firstAnswer(lab, each, true));
    }
  }
  lab.site.handshakeMs = 0;

  const { asIs, without } = found.get(CANDIDATES.widget)!;
  const saved = median(without) - median(asIs);
  return {
    title: `First verdict with a TLS handshake that takes ${HANDSHAKE_MS} ms longer`,
    how: `The time from the start of the first request to the end of its response (resource timing). The visitor has a whole browser with a new profile, and has typed for more than ${HANDSHAKE_MS} ms before the request. For the second column, the benchmark closes all connections right before the request. The difference is the time that an early connection saves.`,
    head: ['', 'as it is', 'without an early connection', 'saved'],
    rows: ASKING.map((candidate) => {
      const own = found.get(candidate)!;
      return [
        candidate.title,
        withSpread(spreadOf(own.asIs), 'ms'),
        withSpread(spreadOf(own.without), 'ms'),
        `${round(Math.max(0, median(own.without) - median(own.asIs)))} ms`,
      ];
    }),
    targets: [
      {
        text: 'preconnect on first focus saves the handshake',
        found: `${round(Math.max(0, saved))} of ${HANDSHAKE_MS} ms saved`,
        isMet: saved >= SAVED_SHARE * HANDSHAKE_MS,
        because: 'no connection was open that the request could use',
      },
    ],
    notes: ['verifalia-widget sends a CORS preflight first, on the same connection.'],
  };
}

async function firstAnswer(lab: Lab, candidate: Candidate, disconnects = false): Promise<number> {
  // A new host each time, so that no connection is reused.
  const visitor = await lab.newcomer(candidate);
  await visitor.load(1);
  await visitor.focus();
  await visitor.type(ADDRESS, KEY_MS);
  if (disconnects) lab.site.disconnect();
  await visitor.verdicts(1);
  const [question] = await visitor.questions();
  await visitor.close();
  return question!.endMs - question!.startMs;
}
