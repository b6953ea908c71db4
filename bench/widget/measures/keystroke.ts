/** Measures the delay of each key for the visitor who types. */
import { type Figure, NONE, round, withSpread } from '../../report.ts';
import { median, spreadOf } from '../../statistics.ts';
import { CANDIDATES, COMPARED } from '../candidates/index.ts';
import { compare, type Measured } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { profile, sayShares } from '../profile.ts';
import { isOwn, isWithin, type Span, sum } from '../trace.ts';

const ROUNDS = 3;
const PROFILED = 5;
const TARGET_MS = 0.1;
const ADDRESS = 'jordan.peterson@example.com';
/** Typed after the address has its verdict. */
const MORE = '.net';

interface Keys {
  readonly ms: number[];
  readonly forcedLayouts: number;
}

export async function keystroke(lab: Lab): Promise<Figure> {
  const { widget, nothing } = CANDIDATES;
  const candidates = [...COMPARED, nothing];
  const found: Measured<Keys>[] = [];
  for (const rate of lab.rates)
    found.push(await compare(lab, candidates, ROUNDS, (visitor) => measure(visitor, rate)));
  const quick = found[0]!;
  const msOf = (keys: readonly Keys[]) => keys.flatMap(({ ms }) => ms);
  const forcedBy = (keys: readonly Keys[]) => sum(keys.map(({ forcedLayouts }) => forcedLayouts));
  const measured = median(msOf(quick(widget)));
  const meter = median(msOf(quick(nothing)));
  const own = measured - meter;
  const forced = sum(found.map((keys) => forcedBy(keys(widget))));
  const keyCount = sum(found.map((keys) => msOf(keys(widget)).length));
  return {
    title: 'Time in handlers per keystroke',
    how: `The time of the listeners of one key, from its keydown to its keyup. The page's own clock (performance.now, 5 µs) is read before the first listener and after the last. The visitor types "${ADDRESS}", and "${MORE}" after the verdict. A second run with a trace counts forced layouts: those that the script causes within its listeners.`,
    head: ['', ...lab.rates.map((rate) => `per key, ${rate} ×`), 'forced layouts per key'],
    rows: candidates.map((candidate) => [
      candidate.title,
      ...found.map((keys) => withSpread(spreadOf(msOf(keys(candidate))), 'ms')),
      round(
        sum(found.map((keys) => forcedBy(keys(candidate)))) /
          sum(found.map((keys) => msOf(keys(candidate)).length)),
      ) || NONE,
    ]),
    targets: [
      {
        text: `under ${TARGET_MS} ms median`,
        found: `${round(own)} ms: ${round(measured)}, less the ${round(meter)} that the clock shows without a script`,
        isMet: own < TARGET_MS,
        because: `its time goes to ${await whereItGoes(lab)}`,
      },
      {
        text: 'no forced layout',
        found: `${forced} in ${keyCount} keys`,
        isMet: forced === 0,
        because: 'a listener reads a value that needs a layout',
      },
    ],
  };
}

async function measure(visitor: Visitor, rate: number): Promise<Keys> {
  await begin(visitor, rate);
  await typeAll(visitor);
  const ms = await visitor.tab.evaluate(() => window.bench.keysMs);
  // Separately, because writing the trace takes time within the listeners.
  await begin(visitor, rate);
  const { spans } = await visitor.trace(() => typeAll(visitor));
  const forced = spans.filter(
    (span) =>
      /^(Layout|UpdateLayoutTree)$/.test(span.name) && isWithin(span, isOwn) && isWithin(span, isDispatch),
  );
  return { ms, forcedLayouts: forced.length };
}

async function begin(visitor: Visitor, rate: number): Promise<void> {
  await visitor.slowDown(1);
  await visitor.load(1);
  await visitor.slowDown(rate);
  await visitor.focus();
}

async function typeAll(visitor: Visitor): Promise<void> {
  await visitor.type(ADDRESS);
  if (visitor.candidate.settled) await visitor.verdicts(1);
  await visitor.type(MORE);
}

/** Only events of keys, because events of responses come at any time. */
const isDispatch = ({ name, type }: Span) =>
  name === 'EventDispatch' && /^(key|beforeinput|input|textInput)/.test(type);

async function whereItGoes(lab: Lab): Promise<string> {
  const visitor = await lab.visitor(CANDIDATES.widget);
  const shares = await profile(
    visitor,
    lab.rounds(PROFILED),
    async () => {
      await visitor.load(1);
      await visitor.focus();
    },
    () => visitor.type(ADDRESS),
  );
  await visitor.close();
  return sayShares(shares);
}
