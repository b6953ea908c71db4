/**
 * Reads lists in threads of their own. A file can neither hold up the requests of the process nor end it: the thread has
 * limits of memory and time, and what exceeds them ends the thread only.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSlots } from '../../../batch/download/slots.ts';
import { ListFault } from './fault.ts';
import { FILE_TOO_LARGE, MAX_FILE_BYTES } from './limits.ts';
import type { FromThread, Portion, ToThread } from './protocol.ts';
import type { ListFacts } from './read-list.ts';
import threadCode from './thread.ts?bundle';

/** A list as it is read. Call `close` in the end, whatever has happened. */
export interface Reading {
  /** Takes the bytes of the file as they come. @throws {ListFault} if they are too many */
  add(bytes: Uint8Array): void;
  /** Reads what has come. @throws {ListFault} if it is no list */
  read(fileName: string | undefined): Promise<ListFacts>;
  portions(): AsyncGenerator<Portion>;
  close(): Promise<void>;
}

export interface Reader {
  /** @returns undefined if as many lists as there may be are read at the moment */
  open(accountId: string): Reading | undefined;
}

export interface ReaderOptions {
  /** For reading the bytes, and for each portion. */
  readonly longestMs?: number;
  readonly memoryMb?: number;
  /** Lists that are read at once in this process. */
  readonly most?: number;
}

/** A million cells take 2 s and 350 MB. */
const DEFAULTS: Required<ReaderOptions> = { longestMs: 30_000, memoryMb: 512, most: 2 };

export function createReader(options: ReaderOptions = {}): Reader {
  const settings = { ...DEFAULTS, ...options };
  const slots = createSlots(settings.most, 1);
  return {
    open(accountId) {
      const giveBack = slots.take(accountId);
      return giveBack && openReading(settings, giveBack);
    },
  };
}

function openReading({ longestMs, memoryMb }: Required<ReaderOptions>, giveBack: () => void): Reading {
  const thread = new Worker(threadCode, { eval: true, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  let broken: Error | undefined;
  // Whoever waits for an answer gets it at once.
  thread.on('error', (error) => {
    broken = error;
  });
  const ask = (question: ToThread) => {
    if (broken) throw broken;
    return askThread(thread, question, longestMs);
  };
  let size = 0;
  return {
    add(bytes) {
      size += bytes.length;
      if (size > MAX_FILE_BYTES) throw new ListFault(FILE_TOO_LARGE);
      // A copy, because the bytes of a request share their memory with those of others.
      const own = Uint8Array.from(bytes);
      thread.postMessage({ kind: 'bytes', bytes: own } satisfies ToThread, [own.buffer]);
    },
    async read(fileName) {
      const answer = await ask({ kind: 'read', fileName });
      if (answer.kind === 'fault') throw new ListFault(answer.message);
      return (answer as Extract<FromThread, { kind: 'facts' }>).facts;
    },
    async *portions() {
      for (;;) {
        const portion = (await ask({ kind: 'next' })) as Portion;
        yield portion;
        if (portion.isLast) return;
      }
    },
    async close() {
      await thread.terminate();
      giveBack();
    },
  };
}

const FAULTS = {
  memory: 'The file needs more memory than there is for one list. Save it as CSV, or split it.',
  time: 'The file took too long to read. Save it as CSV, or split it.',
} as const;

/** @throws {ListFault} if the thread has come to one of its limits */
async function askThread(thread: Worker, question: ToThread, longestMs: number): Promise<FromThread> {
  const stopped = new AbortController();
  const timer = setTimeout(() => stopped.abort(), longestMs);
  try {
    thread.postMessage(question);
    const [answer] = (await once(thread, 'message', { signal: stopped.signal })) as [FromThread];
    return answer;
  } catch (error) {
    if (stopped.signal.aborted) throw new ListFault(FAULTS.time);
    const { code } = error as { code?: unknown };
    throw code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ListFault(FAULTS.memory) : error;
  } finally {
    clearTimeout(timer);
  }
}
