/** What it costs to have the script in a page, before anybody types. */
import { type Figure, round, times, withSpread } from '../../report.ts';
import { median, pairedRatio, spreadOf } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { compare, type Measured } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { profile, sayShares } from '../profile.ts';
import { ownWork, sum } from '../trace.ts';

const ROUNDS = 5;
const PROFILED = 20;
const TARGET = 1.5;
/** As much differs between two runs of the same. */
const SAME = 1.1;

const INPUTS = [1, 2_000] as const;

export async function install(lab: Lab): Promise<Figure> {
  const found: { inputs: number; rate: number; ms: Measured<number> }[] = [];
  for (const inputs of INPUTS) {
    for (const rate of lab.rates) {
      const ms = await compare(lab, COMPARED, ROUNDS, (visitor) => measure(visitor, inputs, rate));
      found.push({ inputs, rate, ms });
    }
  }
  const [oneInput, manyInputs] = found.filter(({ rate }) => rate === 1).map(({ ms }) => ms) as [
    Measured<number>,
    Measured<number>,
  ];
  const { widget, floor } = CANDIDATES;

  const toFloor = [oneInput, manyInputs].map((ms) => pairedRatio(ms(widget), ms(floor)).median);
  const growth = median(manyInputs(widget)) / median(oneInput(widget));
  const isCheaper = (peer: Candidate) =>
    [oneInput, manyInputs].some((ms) => median(ms(peer)) < median(ms(widget)));
  const cheaper = COMPARED.filter((each) => each !== widget && each !== floor && isCheaper(each));
  const unmeasured = COMPARED.some((each) => oneInput(each).length === 0);
  const scriptBytes = ({ title, script }: Candidate) => `${title} ${script.length.toLocaleString('en')}`;

  return {
    title: 'Script evaluation and installation',
    how: 'Processor time on the main thread: compiling the script, running it, and whatever it calls until the page is at rest (trace, devtools.timeline). The script is added to a page that has come to rest, and is compiled anew each time. In brackets, the multiple of the floor.',
    head: [
      '',
      ...found.map(
        ({ inputs, rate }) => `${inputs.toLocaleString('en')} input${inputs > 1 ? 's' : ''}, ${rate} ×`,
      ),
    ],
    rows: COMPARED.map((candidate) => [
      candidate.title,
      ...found.map(
        ({ ms }) =>
          `${withSpread(spreadOf(ms(candidate)), 'ms')} [${times(pairedRatio(ms(candidate), ms(floor)))}]`,
      ),
    ]),
    targets: [
      {
        text: `at most ${TARGET} × the floor`,
        found: `${toFloor.map(round).join(' × and ')} × (1 and 2,000 inputs)`,
        isMet: toFloor.every((ratio) => ratio <= TARGET),
        because: `the floor has ${floor.script.length.toLocaleString('en')} bytes of script to compile and one listener to add, the widget ${widget.script.length.toLocaleString('en')} bytes; its time goes to ${await whereItGoes(lab)}`,
      },
      {
        text: 'independent of the number of inputs',
        found: `${round(growth)} × as long with 2,000 inputs as with 1`,
        // The floor looks at no input, and takes longer all the same where the page is larger.
        isMet: growth <= SAME * Math.max(1, median(manyInputs(floor)) / median(oneInput(floor))),
        because: 'it takes longer where there are more',
      },
      {
        text: 'below every peer',
        found: unmeasured
          ? 'not measured'
          : cheaper.length
            ? `above ${cheaper.map(({ title }) => title).join(' and ')}`
            : 'below all',
        isMet: !unmeasured && cheaper.length === 0,
        because: unmeasured
          ? 'the peers were left out of this run'
          : `they have less script to run (bytes): ${cheaper.map(scriptBytes).join(', ')}, ${scriptBytes(widget)}`,
      },
    ],
    notes: ['mailcheck installs nothing by itself: what its README has a page add is measured with it.'],
  };
}

async function measure(visitor: Visitor, inputs: number, rate: number): Promise<number> {
  await visitor.load(inputs, { withScript: false });
  const { spans } = await visitor.trace(async () => {
    await visitor.slowDown(rate);
    await addScript(visitor);
    await visitor.atRest();
  });
  return sum(ownWork(spans).map(({ cpuMs }) => cpuMs));
}

async function whereItGoes(lab: Lab): Promise<string> {
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

/** As the page itself would, had it had it from the beginning. */
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
