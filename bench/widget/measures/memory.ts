/** Measures the memory of an input that was used. */
import { bytes, type Figure, NONE, round, times } from '../../report.ts';
import { median } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { compare } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { fillAll } from './calm.ts';

const ROUNDS = 3;
const INPUTS = 100;
/** Used before the first measurement: what the first input of a page loads is not the memory of one more. */
const EARLIER_INPUTS = 10;
const TARGET = 7_168;

/** The target for each input. */
interface Kept {
  readonly bytes: number;
  readonly nodes: number;
}

export async function memory(lab: Lab): Promise<Figure> {
  const { widget, nothing } = CANDIDATES;
  const candidates: readonly Candidate[] = [...COMPARED, nothing];
  const found = await compare(lab, candidates, ROUNDS, measure);
  const of = (candidate: Candidate, what: keyof Kept) => median(found(candidate).map((kept) => kept[what]));
  const perInput = (candidate: Candidate, what: keyof Kept) => of(candidate, what) - of(nothing, what);
  const own = perInput(widget, 'bytes');
  return {
    title: 'Memory per used input',
    how: `Bytes that the heap keeps for one more input. Each of ${INPUTS} inputs gets an address that the service accepts, so that no status shows a message. ${EARLIER_INPUTS} others were used before, so what the candidates load once does not count. After garbage collection, JavaScript and the document are measured together (CDP Runtime.getHeapUsage). The memory of the same inputs in a page without a script is subtracted. Nodes are counted in the same way (CDP Memory.getDOMCounters).`,
    head: ['', 'per used input', '÷ the widget', 'nodes per used input'],
    rows: COMPARED.map((candidate) => [
      candidate.title,
      candidate.settled ? bytes(perInput(candidate, 'bytes')) : NONE,
      candidate.settled ? times({ median: perInput(candidate, 'bytes') / own }) : NONE,
      candidate.settled ? round(perInput(candidate, 'nodes')) : NONE,
    ]),
    targets: [
      {
        text: `at most ${bytes(TARGET)} for an input without a message`,
        found: bytes(own),
        isMet: own <= TARGET,
        because: `each input keeps ${round(perInput(widget, 'nodes'))} more nodes in the document, although its status shows nothing`,
      },
    ],
    notes: ['mailcheck keeps nothing for an input.'],
  };
}

async function measure(visitor: Visitor): Promise<Kept> {
  await visitor.load(EARLIER_INPUTS + INPUTS);
  await fillAll(visitor, EARLIER_INPUTS);
  const before = await visitor.memory();
  await fillAll(visitor, EARLIER_INPUTS + INPUTS);
  const after = await visitor.memory();
  return {
    bytes: (after.bytes - before.bytes) / INPUTS,
    nodes: (after.nodes - before.nodes) / INPUTS,
  };
}
