/** Answers the questions of the service about a list: the facts, then the rows in portions. */
import { fstatSync, readSync } from 'node:fs';
import { ListFault } from './list-fault.ts';
import { type ReadTable, readList, type Source } from './read-list.ts';
import type { FromProcess, ToProcess } from './reader-protocol.ts';

/** The service requests the next portion once the database has this one. */
const PORTION_CHARACTERS = 512 * 1024;

/** A string, a stack or an array exceeded the limits of JavaScript. */
const TOO_MUCH = 'The file is too large in one place, such as a very long line. Save it as CSV, or split it.';

/** @param file is open for reading */
export function createAnswers(file: number): (question: ToProcess) => Promise<FromProcess> {
  let tables: readonly ReadTable[] = [];
  let [table, next, nextHidden] = [0, 0, 0];

  async function read(source: Source): Promise<FromProcess> {
    try {
      const list = await readList(wholeFile(file), source);
      tables = list.tables;
      return { kind: 'facts', tables: tables.map(({ facts }) => facts), chosen: list.chosen };
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'fault', message: TOO_MUCH };
      if (error instanceof ListFault) return { kind: 'fault', message: error.message };
      throw error;
    }
  }

  function handOver(): FromProcess {
    const { rows, numbers, fileRows, hidden } = tables[table]!;
    const [from, fromHidden, ofTable] = [next, nextHidden, table];
    for (let size = 0; next < rows.length && size < PORTION_CHARACTERS; next += 1) size += rows[next]!.length;
    while (nextHidden < hidden.length && hidden[nextHidden]! < next) nextHidden += 1;
    const isWhole = next === rows.length;
    const portion = {
      ...{ table: ofTable, from, json: `[${rows.slice(from, next).join(',')}]` },
      numbers: numbers.length > 0 ? `[${numbers.slice(from, next).join(',')}]` : null,
      fileRows: fileRows.slice(from, next),
      hidden: hidden.slice(fromHidden, nextHidden),
      isLast: isWhole && table === tables.length - 1,
    };
    if (isWhole) [table, next, nextHidden] = [table + 1, 0, 0];
    return { kind: 'rows', ...portion };
  }

  return async (question) => (question.kind === 'read' ? read(question) : handOver());
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
