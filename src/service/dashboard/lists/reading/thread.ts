/**
 * What the thread runs that reads a list. The bytes come in as they are uploaded. Then it tells the facts, and hands over the
 * rows one portion at a time.
 */
import { parentPort } from 'node:worker_threads';
import { ListFault } from './fault.ts';
import type { FromThread, ToThread } from './protocol.ts';
import { readList } from './read-list.ts';

/** The thread that has asked for it takes the next portion when the database has this one. */
const PORTION_CHARACTERS = 512 * 1024;

const port = parentPort!;
const say = (message: FromThread) => port.postMessage(message);
const chunks: Uint8Array[] = [];
let rows: readonly string[] = [];
let next = 0;

port.on('message', (message: ToThread) => {
  if (message.kind === 'bytes') chunks.push(message.bytes);
  else if (message.kind === 'read') void read(message.fileName);
  else handOver();
});

async function read(fileName: string | undefined): Promise<void> {
  try {
    const bytes = Buffer.concat(chunks.splice(0));
    const list = await readList(bytes, { fileName });
    rows = list.rows;
    say({ kind: 'facts', facts: list.facts });
  } catch (error) {
    if (!(error instanceof ListFault)) throw error;
    say({ kind: 'fault', message: error.message });
  }
}

function handOver(): void {
  const from = next;
  for (let size = 0; next < rows.length && size < PORTION_CHARACTERS; next += 1) size += rows[next]!.length;
  say({ kind: 'rows', from, json: `[${rows.slice(from, next).join(',')}]`, isLast: next === rows.length });
}
