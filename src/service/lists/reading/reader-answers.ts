/** Answers the questions of the service about a list: the facts, then the rows in portions. */
import { fstatSync, readSync } from 'node:fs';
import { ListFault } from './list-fault.ts';
import { readList } from './read-list.ts';
import type { FromProcess, ToProcess } from './reader-protocol.ts';

/** The service requests the next portion once the database has this one. */
const PORTION_CHARACTERS = 512 * 1024;

/** A string, a stack or an array exceeded the limits of JavaScript. */
const TOO_MUCH = 'The file is too large in one place, such as a very long line. Save it as CSV, or split it.';

/** @param file is open for reading */
export function createAnswers(file: number): (question: ToProcess) => Promise<FromProcess> {
  let rows: readonly string[] = [];
  let next = 0;

  async function read(fileName: string | undefined): Promise<FromProcess> {
    try {
      const list = await readList(wholeFile(file), { fileName });
      rows = list.rows;
      return { kind: 'facts', facts: list.facts };
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'fault', message: TOO_MUCH };
      if (error instanceof ListFault) return { kind: 'fault', message: error.message };
      throw error;
    }
  }

  function handOver(): FromProcess {
    const from = next;
    for (let size = 0; next < rows.length && size < PORTION_CHARACTERS; next += 1) size += rows[next]!.length;
    return {
      kind: 'rows',
      from,
      json: `[${rows.slice(from, next).join(',')}]`,
      isLast: next === rows.length,
    };
  }

  return async (question) => (question.kind === 'read' ? read(question.fileName) : handOver());
}

function wholeFile(file: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(file, bytes, at, bytes.length - at, at);
    if (count === 0) throw new Error('the file became shorter');
    at += count;
  }
  return bytes;
}
