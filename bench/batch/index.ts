/** Batches on the embedded database, with mail servers on loopback. */
import type { Part } from '../report.ts';
import { readingLists } from './lists.ts';
import { takeover } from './takeover.ts';
import { twoLists } from './two-lists.ts';
import { slowServer, twoProcesses } from './waiting.ts';
import { whole } from './whole.ts';

export async function measureBatches(isQuick: boolean): Promise<Part> {
  const share = isQuick ? 0.05 : 1;
  return {
    title: 'Batches',
    figures: [
      await whole(50_000 * share),
      await twoProcesses(4_000 * share),
      await slowServer(1_000 * share),
      await twoLists(isQuick ? 400 : 10_000),
      await readingLists(50_000 * share),
      await takeover(),
    ],
  };
}
