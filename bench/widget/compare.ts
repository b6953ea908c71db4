/** Measures several candidates in turn. */
import { inTurn } from '../statistics.ts';
import { CANDIDATES, type Candidate } from './candidates/index.ts';
import type { Lab, Visitor } from './lab.ts';

/** The measured values of each candidate, by round. */
export type Measured<T> = (candidate: Candidate) => T[];

/**
 * Opens a visitor for each candidate, and measures each once per round. The first round only warms up.
 *
 * @param once measures once
 * @param needed a peer that is also measured with `--quick`
 */
export async function compare<T>(
  lab: Lab,
  candidates: readonly Candidate[],
  rounds: number,
  once: (visitor: Visitor, round: number) => Promise<T>,
  needed?: Candidate,
): Promise<Measured<T>> {
  const visitors: Visitor[] = [];
  for (const candidate of those(lab, candidates, needed)) visitors.push(await lab.visitor(candidate));
  const found = new Map<Candidate, T[]>(candidates.map((candidate) => [candidate, []]));
  for (let round = lab.isQuick ? 1 : 0; round <= lab.rounds(rounds); round += 1) {
    for (const visitor of inTurn(visitors, round)) {
      const value = await once(visitor, round);
      if (round > 0) found.get(visitor.candidate)!.push(value);
    }
  }
  for (const visitor of visitors) await visitor.close();
  return (candidate) => found.get(candidate) ?? [];
}

/**
 * The candidates to measure. With `--quick`, the peers are left out.
 *
 * @param needed a peer that a target names, which is always measured
 */
export function those(lab: Lab, candidates: readonly Candidate[], needed?: Candidate): readonly Candidate[] {
  const { widget, floor, nothing } = CANDIDATES;
  return lab.isQuick
    ? candidates.filter((each) => [widget, floor, nothing, needed].includes(each))
    : candidates;
}
