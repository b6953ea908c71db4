/** Measures the service under load and faults: real processes, a real PostgreSQL and scripted mail servers. */
import { isWanted } from '../only.ts';
import type { Part } from '../report.ts';
import { measureCapacity } from './capacity.ts';
import { measureCost } from './cost.ts';
import { measureMemory } from './memory.ts';
import { measureOverload } from './overload.ts';
import { measurePayments } from './payments.ts';
import { measureFaults } from './resilience.ts';

export const LOAD_FIGURES = ['capacity', 'cost', 'memory', 'overload', 'faults', 'payments'] as const;

export async function measureLoad(isQuick: boolean, only: string | undefined): Promise<Part> {
  const wanted = (name: (typeof LOAD_FIGURES)[number]) => isWanted(name, only);
  const figures: Part['figures'][number][] = [];
  let one = 0;
  // The overload needs the measured capacity.
  if (wanted('capacity') || wanted('overload')) {
    const capacity = await measureCapacity(isQuick || !wanted('capacity'));
    one = capacity.one;
    if (wanted('capacity')) figures.push(...capacity.figures);
  }
  if (wanted('cost')) figures.push(await measureCost(isQuick));
  if (wanted('memory')) figures.push(await measureMemory(isQuick));
  if (wanted('overload')) figures.push(await measureOverload(one, isQuick));
  if (wanted('faults')) figures.push(await measureFaults(isQuick));
  if (wanted('payments')) figures.push(await measurePayments());
  return { title: 'The service under load', figures };
}
