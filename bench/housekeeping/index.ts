/** Measures what requests notice of what is deleted, and of an account that is locked. */
import type { Figure, Part } from '../report.ts';
import { deletedAccount } from './deleted-account.ts';
import { deletedBatch } from './deleted-batch.ts';
import { lockedAccount } from './locked-account.ts';
import { inScene } from './scene.ts';
import { visitorsOfYesterday } from './visitors.ts';

const FIGURES = {
  visitors: visitorsOfYesterday,
  account: deletedAccount,
  batch: deletedBatch,
  locked: lockedAccount,
} as const;
export const HOUSEKEEPING_FIGURES = Object.keys(FIGURES);

/** @param only the names of the figures to measure begin so. @default all */
export async function measureHousekeeping(isQuick: boolean, only = ''): Promise<Part> {
  const figures: Figure[] = [];
  for (const [figure, measure] of Object.entries(FIGURES))
    if (only.split(',').some((begin) => figure.startsWith(begin)))
      figures.push(await inScene(isQuick, measure));
  return { title: 'Housekeeping', figures };
}
