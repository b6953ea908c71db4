/** Measures the service under load and faults: real processes, a real PostgreSQL and scripted mail servers. */
import type { Part } from '../report.ts';
import { measureCapacity } from './capacity.ts';
import { measureMemory } from './memory.ts';
import { measureOverload } from './overload.ts';
import { measureFaults } from './resilience.ts';

export const LOAD_FIGURES = ['capacity', 'memory', 'overload', 'faults'] as const;

/** @param only the names of the figures to measure begin so. @default all */
export async function measureLoad(isQuick: boolean, only = ''): Promise<Part> {
  const wanted = (name: (typeof LOAD_FIGURES)[number]) =>
    only.split(',').some((begin) => name.startsWith(begin));
  const figures: Part['figures'][number][] = [];
  let one = 0;
  // The overload needs the measured capacity.
  if (wanted('capacity') || wanted('overload')) {
    const capacity = await measureCapacity(isQuick || !wanted('capacity'));
    one = capacity.one;
    if (wanted('capacity')) figures.push(...capacity.figures);
  }
  if (wanted('memory')) figures.push(await measureMemory(isQuick));
  if (wanted('overload')) figures.push(await measureOverload(one, isQuick));
  if (wanted('faults')) figures.push(await measureFaults(isQuick));
  return { title: 'The service under load', figures };
}
