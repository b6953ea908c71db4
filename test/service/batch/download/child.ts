/** A process for tests: for each path that it reads, it makes the download and says how much memory that took. */
import { createInterface } from 'node:readline';
import { openArchive } from '../../../../src/service/batch/download/archive.ts';
import { nameOfFile } from '../../../../src/service/batch/download/download-name.ts';
import { findDownload } from '../../../../src/service/batch/download/download-store.ts';
import { openChild, write } from '../../support/child.ts';

const { db } = await openChild(2);

/** What the process cannot give back at the moment. */
function heldBytes(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

for await (const path of createInterface({ input: process.stdin })) {
  const download = await findDownload(db, nameOfFile(path.replace('/download/', ''))!);
  const before = heldBytes();
  let bytes = 0;
  let most = 0;
  let chunks = 0;
  for await (const chunk of openArchive(db, download!)) {
    bytes += chunk.length;
    chunks += 1;
    if (chunks % 100 === 0) most = Math.max(most, heldBytes());
  }
  write({ bytes, grownBy: most - before });
}
