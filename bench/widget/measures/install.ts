/** Measures the cost of having the script in a page, before the visitor types. */
import { type Figure, NONE, round, times, withSpread } from '../../report.ts';
import { median, pairedRatio, spreadOf } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { compare, type Measured } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { profile, sayShares } from '../profile.ts';
import { SLEEP_MS, type Start, startOf } from '../trace.ts';

/** Enough rounds to detect a difference of a tenth. */
const ROUNDS = 9;
const PROFILED = 20;
const TARGET = 0.6;
/** The difference between two equal runs. */
const SAME = 1.1;

const INPUTS = [1, 2_000] as const;

/** Longer than the widget's sleep, and shorter than two such timers in a row. */
const AWAKE_MS = 400;

export async function install(lab: Lab): Promise<Figure> {
  const { widget, floor, autoCheck } = CANDIDATES;
  const found: { inputs: number; rate: number; of: Measured<Start> }[] = [];
  for (const inputs of INPUTS) {
    for (const rate of lab.rates) {
      const of = await compare(
        lab,
        COMPARED,
        ROUNDS,
        (visitor) => measure(visitor, inputs, rate),
        // The target names it.
        autoCheck,
      );
      found.push({ inputs, rate, of });
    }
  }
  const installs = (of: Measured<Start>, candidate: Candidate) =>
    of(candidate).map(({ installMs }) => installMs);
  const wakes = (of: Measured<Start>) => of(widget).map(({ wakeMs }) => wakeMs);
  const [oneInput, manyInputs] = found.filter(({ rate }) => rate === 1).map(({ of }) => of) as [
    Measured<Start>,
    Measured<Start>,
  ];

  const toAutoCheck = [oneInput, manyInputs].map(
    (of) => pairedRatio(installs(of, widget), installs(of, autoCheck)).median,
  );
  const isQuickEnough = toAutoCheck.every((ratio) => ratio <= TARGET);
  const growthOf = (candidate: Candidate) =>
    median(installs(manyInputs, candidate)) / median(installs(oneInput, candidate));
  // The floor does not read inputs, but also takes longer in a larger page.
  const isIndependent = growthOf(widget) <= SAME * Math.max(1, growthOf(floor));
  // A profile takes time, and only a missed target needs an explanation.
  const whereItGoes = isQuickEnough ? '' : await profileOf(lab);
  const longerMs = median(installs(manyInputs, widget)) - median(installs(oneInput, widget));
  const sleeps = found.some(({ of }) => median(wakes(of)) > 0);

  return {
    title: 'Script evaluation and installation',
    how: `The processor time on the main thread to compile the script, run it, and do all work until it sleeps (trace, devtools.timeline). The script is added to an idle page, and is compiled each time. Timers of ${SLEEP_MS} ms and more are not included. The widget wakes in such a timer, 250 ms after the page is ready, and has a separate row for that. The brackets have the multiple of auto-check-element's installation with the same number of inputs.`,
    head: [
      '',
      ...found.map(
        ({ inputs, rate }) => `${inputs.toLocaleString('en')} input${inputs > 1 ? 's' : ''}, ${rate} ×`,
      ),
    ],
    rows: COMPARED.flatMap((candidate) => [
      [
        candidate.title,
        ...found.map(
          ({ of }) =>
            `${withSpread(spreadOf(installs(of, candidate)), 'ms')} [${times(pairedRatio(installs(of, candidate), installs(of, autoCheck)))}]`,
        ),
      ],
      ...(candidate === widget
        ? [
            [
              `${candidate.title}: its wake`,
              ...found.map(({ of }) => (sleeps ? withSpread(spreadOf(wakes(of)), 'ms') : NONE)),
            ],
          ]
        : []),
    ]),
    targets: [
      {
        text: `at most ${TARGET} of auto-check-element's`,
        found: `${toAutoCheck.map(round).join(' and ')} (1 and 2,000 inputs)`,
        isMet: isQuickEnough,
        because: `the time goes to code that runs while the script loads, not to the number of bytes: ${whereItGoes}`,
      },
      {
        text: 'independent of the number of inputs',
        found: `${round(growthOf(widget))} × as long with 2,000 inputs as with 1 (the floor: ${round(growthOf(floor))} ×)`,
        isMet: isIndependent,
        because: `in the larger page it takes ${round(longerMs)} ms longer`,
      },
    ],
    notes: [
      'mailcheck installs nothing by itself. Its figure includes the code that its README adds to a page.',
      ...(sleeps ? [] : ['The widget sets no timer to wake by: all that it does, it does at loading.']),
    ],
  };
}

async function measure(visitor: Visitor, inputs: number, rate: number): Promise<Start> {
  await visitor.load(inputs, { withScript: false });
  const { spans } = await visitor.trace(async () => {
    await visitor.slowDown(rate);
    await addScript(visitor);
    await visitor.atRest();
    await visitor.tab.evaluate((ms) => new Promise<void>((done) => setTimeout(done, ms)), AWAKE_MS);
  });
  return startOf(spans);
}

async function profileOf(lab: Lab): Promise<string> {
  const visitor = await lab.visitor(CANDIDATES.widget);
  const shares = await profile(
    visitor,
    lab.rounds(PROFILED),
    () => visitor.load(1, { withScript: false }),
    () => addScript(visitor),
  );
  await visitor.close();
  return sayShares(shares);
}

/** Adds the script as if the page had it from the beginning. */
function addScript({ tab, candidate }: Visitor): Promise<void> {
  return tab.evaluate((attributes) => {
    const holder = document.createElement('template');
    holder.innerHTML = `<i ${attributes}></i>`;
    const script = document.createElement('script');
    for (const { name, value } of holder.content.firstElementChild!.attributes) {
      script.setAttribute(name, value);
    }
    script.src = `/script.js?${Math.random()}`;
    return new Promise<void>((done) => {
      script.onload = () => done();
      document.head.append(script);
    });
  }, candidate.attributes ?? '');
}
