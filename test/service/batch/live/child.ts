/**
 * A process for tests: it works on batches, and writes a line for each address that it verifies. It verifies `MOST` of
 * them, and then it hangs. At the address `POISON`, it ends.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { startBatchWorker } from '../../../../src/service/batch/live/batch-worker.ts';
import { openChild, write } from '../../support/child.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';

let left = Number(process.env.MOST);
const settings = settingsWith({ live: { greylistRetries: [0.05] } });
startBatchWorker(
  { ...DEPS, ...(await openChild()), settings },
  {
    lookEveryMs: 50,
    // Suspects are alone on a slow machine, too.
    longMs: 1e9,
    async verifier({ address }) {
      if (address === process.env.POISON) process.exit(1);
      // Each address takes a time of its own, so that results do not come in the order of their addresses.
      await wait((Number(/\d+/.exec(address)?.[0]) * 7) % 20);
      left -= 1;
      if (left < 0) await new Promise(() => {});
      write(address);
      return { result: resultOf(address, /[05]@/.test(address) ? 'unknown' : 'deliverable'), evidence: [] };
    },
  },
);
