/** Batches on the embedded database, with mail servers on loopback. */
import { isWanted } from '../only.ts';
import type { Figure, Part } from '../report.ts';
import { readingLists } from './lists.ts';
import { takeover } from './takeover.ts';
import { twoLists, twoThinLists } from './two-lists.ts';
import { slowServer, twoProcesses } from './waiting.ts';
import { whole } from './whole.ts';

/** Each gets the share of the addresses to measure with. */
const FIGURES = {
  whole: (share: number) => whole(50_000 * share),
  processes: (share: number) => twoProcesses(4_000 * share),
  slow: (share: number) => slowServer(1_000 * share),
  lists: (share: number) => twoLists(share < 1 ? 400 : 10_000),
  listsThin: () => twoThinLists(),
  reading: (share: number) => readingLists(50_000 * share),
  takeover: () => takeover(),
} as const;
export const BATCH_FIGURES = Object.keys(FIGURES);

/** @param only the names of the figures to measure begin so. @default all */
export async function measureBatches(isQuick: boolean, only: string | undefined): Promise<Part> {
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(FIGURES))
    if (isWanted(name, only)) figures.push(await measure(isQuick ? 0.05 : 1));
  return { title: 'Batches', figures };
}
