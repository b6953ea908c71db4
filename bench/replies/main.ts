/** The command `npm run bench:replies`. */
import { readFileSync } from 'node:fs';
import { fillBlock } from '../load/docs.ts';
import { type Row, reportComparison } from './compare.ts';

export const loadRows = (): readonly Row[] => JSON.parse(readFileSync('test/engine/replies.json', 'utf8'));

export const report = (): string => reportComparison(loadRows());

export const writeDocs = (): void => fillBlock('replies', report(), 'docs/comparison.md');
