/** What the numbers were measured on. Names neither the machine nor its user, nor any folder. */
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** Processor time that others take while something is measured; beyond it, the figures say so. */
const QUIET_LOAD = 0.5;

export interface Machine {
  readonly description: readonly (readonly [what: string, value: string])[];
  /** What stands in the way of numbers that can be relied on, if anything does. */
  readonly warning: string | undefined;
}

export function describeMachine(browser?: string): Machine {
  const processors = cpus();
  // Always zero on Windows, which keeps no such count.
  const [load] = loadavg() as [number, number, number];
  const perCore = load / processors.length;
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
      perCore > QUIET_LOAD
        ? `The machine was busy at the start (load ${load.toFixed(2)} on ${processors.length} cores): do not rely on these numbers.`
        : undefined,
  };
}
