/** What an input that somebody has used holds on to. */
import { bytes, type Figure, NONE, times } from '../../report.ts';
import { median } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { compare } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { fillAll } from './calm.ts';

const ROUNDS = 3;
const INPUTS = 100;

export async function memory(lab: Lab): Promise<Figure> {
  const { widget, nothing } = CANDIDATES;
  const candidates: readonly Candidate[] = [...COMPARED, nothing];
  const found = await compare(lab, candidates, ROUNDS, measure);
  const perInput = (candidate: Candidate) => median(found(candidate)) - median(found(nothing));
  return {
    title: 'Memory per used input',
    how: `What the heap holds more for each of ${INPUTS} inputs after an address was put into it and has its verdict, JavaScript's and the document's together, after a collection (CDP Runtime.getHeapUsage), less what the same inputs take in a page without a script.`,
    head: ['', 'per used input', '÷ the widget'],
    rows: COMPARED.map((candidate) => [
      candidate.title,
      candidate.settled ? bytes(perInput(candidate)) : NONE,
      candidate.settled ? times({ median: perInput(candidate) / perInput(widget) }) : NONE,
    ]),
    targets: [{ text: 'stated', found: bytes(perInput(widget)), isMet: true }],
    notes: [
      'mailcheck keeps nothing of an input.',
      'Of the widget, it holds the status element that each input gets.',
    ],
  };
}

async function measure(visitor: Visitor): Promise<number> {
  await visitor.load(INPUTS);
  const before = await visitor.memory();
  await fillAll(visitor, INPUTS);
  const after = await visitor.memory();
  return (after.bytes - before.bytes) / INPUTS;
}
