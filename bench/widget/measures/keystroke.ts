/** What each key costs the person who types. */
import { type Figure, NONE, round, withSpread } from '../../report.ts';
import { median, spreadOf } from '../../statistics.ts';
import { CANDIDATES, COMPARED } from '../candidates/index.ts';
import { compare, type Measured } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { profile, sayShares } from '../profile.ts';
import { isOwn, isWithin, ownWork, type Span, sum } from '../trace.ts';

const ROUNDS = 3;
const PROFILED = 5;
const TARGET_MS = 0.1;
const ADDRESS = 'jordan.peterson@example.com';
/** Typed once the address has its verdict. */
const MORE = '.net';

interface Keys {
  readonly ms: number[];
  readonly forcedLayouts: number;
}

export async function keystroke(lab: Lab): Promise<Figure> {
  const found: Measured<Keys>[] = [];
  for (const rate of lab.rates)
    found.push(await compare(lab, COMPARED, ROUNDS, (visitor) => measure(visitor, rate)));
  const quick = found[0]!;
  const { widget } = CANDIDATES;
  const msOf = (keys: readonly Keys[]) => keys.flatMap(({ ms }) => ms);
  const forcedBy = (keys: readonly Keys[]) => sum(keys.map(({ forcedLayouts }) => forcedLayouts));
  const own = median(msOf(quick(widget)));
  const forced = sum(found.map((keys) => forcedBy(keys(widget))));
  const keyCount = sum(found.map((keys) => msOf(keys(widget)).length));
  return {
    title: 'Time in handlers per keystroke',
    how: `Processor time of the script's listeners for one key, from keydown to keyup (trace), while "${ADDRESS}" is typed, and "${MORE}" after its verdict. Forced layouts: those that the script made the browser do within its listeners.`,
    head: ['', ...lab.rates.map((rate) => `per key, ${rate} ×`), 'forced layouts per key'],
    rows: COMPARED.map((candidate) => [
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
        found: `${round(own)} ms`,
        isMet: own < TARGET_MS,
        because: `its time goes to ${await whereItGoes(lab)}`,
      },
      {
        text: 'no forced layout',
        found: `${forced} in ${keyCount} keys`,
        isMet: forced === 0,
        because: 'a listener reads what has to be laid out for it',
      },
    ],
  };
}

async function measure(visitor: Visitor, rate: number): Promise<Keys> {
  await visitor.load(1);
  await visitor.slowDown(rate);
  await visitor.focus();
  const { spans } = await visitor.trace(() => typeAll(visitor));

  const keyDowns = spans.filter(({ name, type }) => name === 'EventDispatch' && type === 'keydown');
  const inHandlers = ownWork(spans).filter((span) => isWithin(span, isDispatch));
  const forced = spans.filter(
    (span) =>
      /^(Layout|UpdateLayoutTree)$/.test(span.name) && isWithin(span, isOwn) && isWithin(span, isDispatch),
  );
  return {
    ms: keyDowns.map(({ startMs }, index) => {
      const endMs = keyDowns[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
      return sum(
        inHandlers
          .filter((span) => span.startMs >= startMs && span.startMs < endMs)
          .map(({ cpuMs }) => cpuMs),
      );
    }),
    forcedLayouts: forced.length,
  };
}

async function typeAll(visitor: Visitor): Promise<void> {
  await visitor.type(ADDRESS);
  if (visitor.candidate.settled) await visitor.verdicts(1);
  await visitor.type(MORE);
}

/** Of a key only: an answer's events come whenever it comes. */
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
