/** Describes the machine of the measurement, without its name, its user or any folder. */
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The processor time of other programs during a measurement. Above it, the figures mention it. */
const QUIET_LOAD = 0.5;

const LOOK_MS = 5_000;
const PATIENCE_MS = 180_000;

/** The load of one processor over the last minute. Always zero on Windows, which does not report it. */
const loadPerProcessor = () => loadavg()[0]! / cpus().length;

/** Waits until the load of ended processes is gone, for a few minutes at most. */
export async function comeToRest(): Promise<void> {
  if (loadPerProcessor() > QUIET_LOAD) console.error('Waiting for the machine to come to rest.');
  const end = Date.now() + PATIENCE_MS;
  while (loadPerProcessor() > QUIET_LOAD && Date.now() < end) await pause(LOOK_MS);
}

export interface Machine {
  readonly description: readonly (readonly [what: string, value: string])[];
  /** What makes the numbers unreliable, if anything. */
  readonly warning: string | undefined;
}

export function describeMachine(browser?: string): Machine {
  const processors = cpus();
  const perProcessor = loadPerProcessor();
  const load = perProcessor * processors.length;
  return {
    description: [
      ['Processor', `${processors[0]?.model.trim() ?? 'unknown'}, ${processors.length} cores`],
      ['Memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
      ['System', `${type()} ${release().replace(/[^\d.].*/, '')}, ${process.arch}`],
      ['Node', process.versions.node],
      ...(browser ? [['Browser', `Chromium ${browser}`] as const] : []),
      ['Load at the start', `${load.toFixed(2)} (1 minute, ${processors.length} cores)`],
    ],
    warning:
      perProcessor > QUIET_LOAD
        ? `The machine was busy at the start (load ${load.toFixed(2)} on ${processors.length} cores): do not rely on these numbers.`
        : undefined,
  };
}
