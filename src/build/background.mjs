/**
 * Builds parts in a process beside the service, and tells its parent what is there. A thread does the work, because the
 * tools do not pause: the process itself stays free to end as soon as its parent has.
 *
 *   node src/build/background.mjs PART…   as a child with a channel, in the top folder
 */
import { setPriority } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { sayFault } from './fault.mjs';
import { makePart } from './make.mjs';
import { PARTS } from './parts.mjs';

/** Of the widget, once the service runs: its page comes first. On a busy machine, the widget still gets a fair share. */
const BESIDE = 5;

const names = process.argv.slice(2);
if (isMainThread) watchThread();
else await makeParts();

function watchThread() {
  process.on('disconnect', () => process.exit(1));
  const left = new Set(names);
  const worker = new Worker(new URL(import.meta.url), { argv: names });
  worker.on('message', (result) => {
    left.delete(result.name);
    process.send(result);
  });
  worker.on('error', (error) => {
    for (const name of left) process.send({ name, state: 'failed', reason: sayFault(error) });
  });
  worker.on('exit', () => process.disconnect());
}

async function makeParts() {
  for (const part of PARTS.filter(({ name }) => names.includes(name))) {
    if (part.atStart === 'beside') setPriority(BESIDE);
    const result = await makePart(part).catch((error) => ({ state: 'failed', reason: sayFault(error) }));
    parentPort.postMessage({ name: part.name, ...result });
    // Without these, there is no service.
    if (result.state === 'failed' && part.atStart === 'before') break;
  }
  process.exit();
}
