/** How the tests of docs/batch.md follow a batch. */
import { vi } from 'vitest';

const ROUND_MS = 400;

interface Status {
  readonly download_file?: string;
  readonly total_counts: Readonly<Record<string, number>>;
}

/** Asks again and again, as somebody does who waits. The account may ask five times a second. */
export async function untilCompleted(ask: () => Promise<string>): Promise<Status> {
  let status = '';
  await vi.waitUntil(
    async () => {
      status = await ask();
      return status.includes('completed');
    },
    { interval: ROUND_MS },
  );
  return JSON.parse(status);
}

/** Of the world's list. */
export const TOTALS = { duplicate: 5, processed: 2000, total: 2000 };
