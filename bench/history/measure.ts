/** Runs every statement of the list, and judges what it costs. */
import { openRecorder } from './record.ts';
import { type Asker, type Call, STATEMENTS } from './statements.ts';

/** What a statement may cost for whoever waits for it. Above the buffers, the time counts. */
export const BOUNDS: Readonly<Record<Exclude<Asker, 'operator'>, { buffers: number; ms: number }>> = {
  request: { buffers: 50, ms: 5 },
  look: { buffers: 50, ms: 5 },
  page: { buffers: 2_000, ms: 50 },
  scrape: { buffers: 2_000, ms: 50 },
  // It deletes up to 5,000 rows at once, and reads some four pages for each.
  housekeeping: { buffers: 25_000, ms: 50 },
};

/** Only what is in progress is in these. All other tables grow with the history. */
const SHORT = ['batch_marks', 'batch_progress', 'conversations', 'conversation_waits', 'paces', 'processes'];
/** A scan of so few rows is one of a table that is still small. */
const FEW_ROWS = 1_000;

/** One function of a store, in one of the ways in which it is called. */
export interface Measured {
  readonly store: string;
  readonly name: string;
  readonly what?: string | undefined;
  readonly by: Asker;
  /** The dearest of its statements. */
  readonly ms: number;
  readonly buffers: number;
  readonly statements: number;
  readonly reads: readonly string[];
  /** The tables that grow and are read whole. */
  readonly scans: readonly string[];
}

/** @param only the functions whose name contains this @param isSmall see `openRecorder()` */
export async function measureStatements(
  url: string,
  { only = '', isSmall = false }: { readonly only?: string | undefined; readonly isSmall?: boolean } = {},
): Promise<Measured[]> {
  const recorder = await openRecorder(url, isSmall);
  const measured: Measured[] = [];
  try {
    for (const [store, functions] of Object.entries(STATEMENTS)) {
      for (const [name, calls] of Object.entries(functions)) {
        if (!name.toLowerCase().includes(only.toLowerCase())) continue;
        for (const { by, what, run } of [calls].flat() as Call[]) {
          const costs = await recorder.record(run).catch((error) => {
            throw new Error(`Expected ${store}: ${name} to run, got: ${error.message}`, { cause: error });
          });
          const scans = costs.flatMap((cost) => Object.entries(cost.scans));
          measured.push({
            ...{ store, name, what, by, statements: costs.length },
            ms: Math.max(0, ...costs.map((cost) => cost.ms)),
            buffers: Math.max(0, ...costs.map((cost) => cost.buffers)),
            reads: [...new Set(costs.flatMap((cost) => cost.reads))],
            scans: [
              ...new Set(
                scans
                  .filter(([table, rows]) => !SHORT.includes(table) && rows > FEW_ROWS)
                  .map(([table]) => table),
              ),
            ],
          });
        }
      }
    }
  } finally {
    await recorder.close();
  }
  return measured;
}

/** Why a statement breaks its bound, or undefined. */
export function faultOf({ by, ms, buffers, scans }: Measured): string | undefined {
  if (by === 'operator') return undefined;
  if (scans.length > 0) return `scans ${scans.join(' and ')}`;
  const bound = BOUNDS[by];
  if (buffers <= bound.buffers || ms <= bound.ms) return undefined;
  return `more than ${bound.buffers} buffers and ${bound.ms} ms`;
}
