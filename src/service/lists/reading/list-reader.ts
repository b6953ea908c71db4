/**
 * Reads each list in its own process, with limits of memory and time. A file that exceeds them ends only that process,
 * so it can neither delay nor stop the service.
 */
import type { FileHandle } from 'node:fs/promises';
import { openNameless } from '../../core/nameless-file.ts';
import { createSlots } from '../../core/slots.ts';
import { ListFault } from './list-fault.ts';
import { FILE_PIECE_BYTES, FILE_TOO_LARGE, MAX_FILE_BYTES } from './list-limits.ts';
import type { FileFacts, Portion } from './reader-protocol.ts';
import { type ReadingProcess, startProcess } from './start-reader-process.ts';

/** A list that is being read. Always call `close` at the end. */
export type Reading = ReturnType<typeof openReading>;

export type Reader = ReturnType<typeof createReader>;

export interface ReaderOptions {
  /** The time limit for reading the bytes, and for each portion. Large files get more. */
  readonly longestMs?: number;
  readonly memoryMb?: number;
  /** How many lists may arrive at once in this process. Their bytes may take long. */
  readonly mostArriving?: number;
  /** How many lists are read at once in this process, one of each account. All their bytes have arrived. */
  readonly mostReading?: number;
  /** @default starts a process */
  readonly start?: typeof startProcess;
}

/** How many lists of an account may arrive at once. */
const MOST_ARRIVING_OF_ONE = 2;

/** A million cells of a workbook take 3 s and 350 MB. Three times as much is enough for any small list. */
const DEFAULTS: Required<ReaderOptions> = {
  ...{ longestMs: 10_000, memoryMb: 512 },
  ...{ mostArriving: 8, mostReading: 2, start: startProcess },
};

const MIB = 1024 * 1024;
/** A MiB of text takes 0.1 s. A busy machine, on which requests have priority, needs several times as long. */
const MORE_MS_OF_MIB = 2_000;

export function createReader(options: ReaderOptions = {}) {
  const settings = { ...DEFAULTS, ...options };
  const arriving = createSlots({ atOnce: settings.mostArriving, ofOne: MOST_ARRIVING_OF_ONE });
  const reading = createSlots({ atOnce: settings.mostReading, ofOne: 1 });
  return {
    /** @returns undefined if too many lists are arriving already */
    open(accountId: string): Reading | undefined {
      const release = arriving.take(accountId);
      return release && openReading(settings, () => reading.wait({ id: accountId }), release);
    },
  };
}

function openReading(
  settings: Required<ReaderOptions>,
  waitForSlot: () => Promise<(() => void) | undefined>,
  release: () => void,
) {
  let [size, file]: [number, FileHandle?] = [0];
  let endReading: (() => void) | undefined;
  let running: ReadingProcess | undefined;
  return {
    /** Adds bytes of the file. @throws {ListFault} if the file is too large */
    async add(bytes: Uint8Array): Promise<void> {
      size += bytes.length;
      if (size > MAX_FILE_BYTES) throw new ListFault(FILE_TOO_LARGE);
      file ??= await openNameless();
      await file.writeFile(bytes);
    },
    /** Waits for a free slot, then reads the file. @throws {ListFault} if it is not a list */
    async read(fileName: string | undefined, codec?: string): Promise<FileFacts> {
      file ??= await openNameless();
      endReading = await waitForSlot();
      const longestMs = settings.longestMs + (size / MIB) * MORE_MS_OF_MIB;
      running = settings.start(file.fd, { ...settings, longestMs });
      const answer = await running.ask({ kind: 'read', fileName, codec });
      if (answer.kind === 'fault') throw new ListFault(answer.message);
      const { tables, chosen } = answer as FileFacts;
      return { tables, chosen };
    },
    async *portions(): AsyncGenerator<Portion> {
      for (;;) {
        const portion = (await running!.ask({ kind: 'next' })) as Portion;
        yield portion;
        if (portion.isLast) return;
      }
    },
    /** The bytes that were added, in pieces of `FILE_PIECE_BYTES`. */
    async *bytes(): AsyncGenerator<Buffer> {
      for (let at = 0; at < size; at += FILE_PIECE_BYTES) {
        const chunk = Buffer.alloc(Math.min(FILE_PIECE_BYTES, size - at));
        await file!.read(chunk, 0, chunk.length, at);
        yield chunk;
      }
    },
    async close(): Promise<void> {
      try {
        await running?.end();
        await file?.close();
      } finally {
        endReading?.();
        release();
      }
    },
  };
}
