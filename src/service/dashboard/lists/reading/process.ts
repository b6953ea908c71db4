/** The program of the process that reads a list. It sends the facts, then the rows in portions. */
import { fstatSync, readSync } from 'node:fs';
import { setPriority } from 'node:os';
import { ListFault } from './fault.ts';
import { FILE_DESCRIPTOR, type FromProcess, type ToProcess } from './protocol.ts';
import { readList } from './read-list.ts';

const LOW = 10;
/** The service requests the next portion once the database has this one. */
const PORTION_CHARACTERS = 512 * 1024;

// Requests to the service have priority.
setPriority(LOW);

const say = (message: FromProcess) => process.send!(message);
let rows: readonly string[] = [];
let next = 0;

process.on('message', (message: ToProcess) => {
  if (message.kind === 'read') void read(message.fileName);
  else handOver();
});
// The service ends this process. A signal to the whole process group must not cut a list that is being stored.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

async function read(fileName: string | undefined): Promise<void> {
  try {
    const list = await readList(wholeFile(), { fileName });
    rows = list.rows;
    say({ kind: 'facts', facts: list.facts });
  } catch (error) {
    if (error instanceof RangeError) say({ kind: 'fault', message: TOO_MUCH });
    else if (error instanceof ListFault) say({ kind: 'fault', message: error.message });
    else throw error;
  }
}

/** A string, a stack or an array exceeded the limits of JavaScript. */
const TOO_MUCH = 'The file is too large in one place, such as a very long line. Save it as CSV, or split it.';

function wholeFile(): Buffer {
  const bytes = Buffer.alloc(fstatSync(FILE_DESCRIPTOR).size);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(FILE_DESCRIPTOR, bytes, at, bytes.length - at, at);
    if (count === 0) throw new Error('the file became shorter');
    at += count;
  }
  return bytes;
}

function handOver(): void {
  const from = next;
  for (let size = 0; next < rows.length && size < PORTION_CHARACTERS; next += 1) size += rows[next]!.length;
  say({ kind: 'rows', from, json: `[${rows.slice(from, next).join(',')}]`, isLast: next === rows.length });
}
