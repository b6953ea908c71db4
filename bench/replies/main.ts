/** The command `npm run bench:replies`. */
import { loadReplies } from '../../test/engine/replies/corpus.ts';
import { fillBlock } from '../load/docs.ts';
import { reportComparison } from './compare.ts';

export const report = (): string => reportComparison(loadReplies());

export const writeDocs = (): void => fillBlock('replies', report(), 'docs/comparison.md');
