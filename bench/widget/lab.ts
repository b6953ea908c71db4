/** The browser and its visitors. */
import { type Browser, chromium } from '@playwright/test';
import { browserArguments, findEngines } from '../../e2e/engines/engines.mjs';
import type { Candidate } from './candidates/index.ts';
import { openSite, type Site } from './site.ts';
import { openTab, type Tab } from './tab.ts';
import { MARK, mainThread, type Recording, type TraceEvent } from './trace.ts';

/** One frame of a screen. */
export const FRAME_MS = 1000 / 60;

export interface Lab {
  readonly site: Site;
  /** Whether to run only enough to show that everything works (`--quick`). */
  readonly isQuick: boolean;
  /** The number of measurements: the given number, or one. */
  rounds(wanted: number): number;
  /** The slow-down factors of the processor: none, and that of a cheap phone. */
  readonly rates: readonly number[];
  visitor(candidate: Candidate): Promise<Visitor>;
  /** Opens a freshly installed browser. It connects ahead of time, which a private window does not. */
  newcomer(candidate: Candidate): Promise<Visitor>;
  close(): Promise<void>;
}

/** A visitor with a private window, on the page of one candidate. */
export interface Visitor {
  readonly candidate: Candidate;
  readonly tab: Tab;
  /** Loads the page again, with or without the candidate, and waits until it is idle. */
  load(inputs: number, options?: { withScript?: boolean }): Promise<void>;
  slowDown(rate: number): Promise<void>;
  /** Waits until all work is done and painted. */
  atRest(): Promise<void>;
  /** Records the work of the page's main thread meanwhile. Afterwards, the processor runs at full speed. */
  trace(act: () => Promise<unknown>): Promise<Recording>;
  /** The processor time of the page's main thread meanwhile, in milliseconds. */
  busyMs(act: () => Promise<unknown>): Promise<number>;
  /** The bytes in use and the number of nodes, after garbage collection. */
  memory(): Promise<{ bytes: number; nodes: number }>;
  focus(input?: number): Promise<void>;
  /** @param pauseMs the pause between two keys */
  type(text: string, pauseMs?: number): Promise<void>;
  /** Waits for so many verdicts of the candidate since the page was loaded. */
  verdicts(count: number): Promise<void>;
  /** The page's requests so far, with times of its own clock (resource timing, milliseconds). */
  questions(): Promise<Question[]>;
  close(): Promise<void>;
}

/** A request to a service, with its response. */
export interface Question {
  readonly startMs: number;
  /** When the last byte of the response arrived. */
  readonly endMs: number;
}

/** The measurements that the page records itself. */
declare global {
  interface Window {
    bench: {
      verdicts: number;
      /** All layout shifts, also those after an action of the visitor. */
      shifts: number;
      longTasks: number[];
      /** When the last key was pressed. */
      keyAt: number;
      /** The time of the listeners of each key, from keydown to keyup. */
      keysMs: number[];
    };
  }
}

const CATEGORIES = [
  '-*',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'v8',
  'blink.user_timing',
];

/** The longest wait for a verdict, far longer than needed even with a slow processor. */
const PATIENCE_MS = 15_000;

export const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

export async function openLab(isQuick: boolean): Promise<Lab> {
  const { shell, chromium: whole } = findEngines();
  if (!whole) {
    throw new Error('Expected a Chromium to measure in, found none. "npm run test:browser" installs one.');
  }
  const site = await openSite();
  // The headless shell, because the windows of a whole browser take time from the pages.
  const browser = await chromium.launch(startOf(shell ?? whole, site));
  const session = await browser.newBrowserCDPSession();
  return {
    site,
    isQuick,
    rounds: (wanted) => (isQuick ? 1 : wanted),
    // On a busy machine, work with a slowed-down processor may never end.
    rates: isQuick ? [1] : [1, 6],
    async visitor(candidate) {
      return createVisitor(browser, await openTab(session, watcherOf(candidate)), site, candidate);
    },
    async newcomer(candidate) {
      const { args, ...start } = startOf(whole, site);
      const context = await chromium.launchPersistentContext('', {
        ...start,
        args: args.filter((argument) => argument !== QUIET),
        ignoreDefaultArgs: [QUIET],
      });
      const own = context.browser()!;
      const tab = await openTab(await own.newBrowserCDPSession(), watcherOf(candidate), false);
      const visitor = await createVisitor(own, tab, site, candidate);
      return { ...visitor, close: () => context.close() };
    },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** The flags that prevent the browser's own connections. */
const QUIET = '--disable-background-networking';

function startOf({ path }: { path: string }, { hostRules }: Site) {
  return {
    executablePath: path,
    args: [
      ...browserArguments().filter((argument) => !argument.startsWith('--host-resolver-rules')),
      `--host-resolver-rules=${hostRules}`,
      // The site's certificate is new in each run.
      '--ignore-certificate-errors',
    ],
  };
}

const watcherOf = ({ settled }: Candidate) => `(${watch})(${JSON.stringify(settled)})`;

async function createVisitor(browser: Browser, tab: Tab, site: Site, candidate: Candidate): Promise<Visitor> {
  await tab.send('Performance.enable', { timeDomain: 'threadTicks' });

  async function taskMs(): Promise<number> {
    const { metrics } = await tab.send<{ metrics: { name: string; value: number }[] }>(
      'Performance.getMetrics',
    );
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
  }

  const visitor: Visitor = {
    candidate,
    tab,
    async load(inputs, { withScript = true } = {}) {
      await tab.load(site.urlOf(candidate, inputs, withScript));
      await visitor.atRest();
    },
    slowDown: async (rate) => void (await tab.send('Emulation.setCPUThrottlingRate', { rate })),
    atRest: () =>
      tab.evaluate(
        () =>
          new Promise<void>((done) =>
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))),
          ),
      ),
    async trace(act) {
      await browser.startTracing(undefined, { categories: CATEGORIES });
      let text: Buffer;
      let markMs = 0;
      try {
        markMs = await tab.evaluate((name) => performance.mark(name).startTime, MARK);
        await act();
        // A slow thread would lose its last lines when the trace ends.
        await visitor.slowDown(1);
        await visitor.atRest();
      } finally {
        text = await browser.stopTracing();
      }
      const { traceEvents } = JSON.parse(text.toString()) as { traceEvents: TraceEvent[] };
      return mainThread(traceEvents, markMs);
    },
    async busyMs(act) {
      const before = await taskMs();
      await act();
      return (await taskMs()) - before;
    },
    async memory() {
      // Collects again, for objects that the first collection has released.
      for (let round = 0; round < 3; round += 1) await tab.send('HeapProfiler.collectGarbage');
      const { usedSize, embedderHeapUsedSize } = await tab.send<{
        usedSize: number;
        embedderHeapUsedSize: number;
      }>('Runtime.getHeapUsage');
      const { nodes } = await tab.send<{ nodes: number }>('Memory.getDOMCounters');
      return { bytes: usedSize + embedderHeapUsedSize, nodes };
    },
    focus: (input = 0) =>
      tab.evaluate((index) => {
        document.querySelectorAll('input')[index]!.focus();
      }, input),
    async type(text, pauseMs = 0) {
      for (const key of text) {
        await tab.press(key);
        if (pauseMs) await pause(pauseMs);
      }
    },
    async verdicts(count) {
      const deadline = Date.now() + PATIENCE_MS;
      while ((await tab.evaluate(() => window.bench.verdicts)) < count) {
        if (Date.now() > deadline) throw new Error(`Expected a verdict of ${candidate.title}, got none.`);
        await pause(10);
      }
    },
    async questions() {
      // The entry appears a little later than the response.
      await visitor.atRest();
      return tab.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          // The page's own files come from its own origin.
          .filter(({ name }) => !name.startsWith(location.origin))
          .map(({ startTime, responseEnd }) => ({ startMs: startTime, endMs: responseEnd })),
      );
    },
    close: () => tab.close(),
  };
  return visitor;
}

/** Runs in the page before all else. */
function watch(settled: string | undefined) {
  window.bench = { verdicts: 0, shifts: 0, longTasks: [], keyAt: 0, keysMs: [] };
  addEventListener(
    'keydown',
    (event) => {
      window.bench.keyAt = event.timeStamp;
    },
    true,
  );
  // The first listener and, because it is added again each time, the last.
  for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup']) {
    let began = 0;
    const end = () => {
      window.bench.keysMs[window.bench.keysMs.length - 1]! += performance.now() - began;
    };
    addEventListener(
      type,
      () => {
        if (type === 'keydown') window.bench.keysMs.push(0);
        removeEventListener(type, end);
        addEventListener(type, end);
        began = performance.now();
      },
      true,
    );
  }
  if (settled) {
    addEventListener(settled, () => {
      window.bench.verdicts += 1;
      performance.mark('bench: verdict');
    });
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.bench.shifts += (entry as PerformanceEntry & { value: number }).value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.bench.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
}
