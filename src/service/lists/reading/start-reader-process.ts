/**
 * Starts a process that reads a list. A thread would not be safe: one allocation larger than the heap ends its whole
 * process, regardless of the thread's limits.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ListFault } from './list-fault.ts';
import type { FromProcess, ToProcess } from './reader-protocol.ts';

export interface ReadingProcess {
  /** @throws {ListFault} if the process has exceeded one of its limits */
  ask(question: ToProcess): Promise<FromProcess>;
  end(): Promise<void>;
}

export interface ProcessLimits {
  /** The time limit for each answer. */
  readonly longestMs: number;
  readonly memoryMb: number;
}

const FAULTS = {
  memory: 'The file needs more memory than one list may use. Save it as CSV, or split it.',
  time: 'The file took too long to read. Save it as CSV, or split it.',
} as const;

/** It has 2 MB, which no start of the service should compile. */
const readCode = async () => (await import('./reader-process.ts?bundle')).default;

/** @param file is open for reading */
export function startProcess(file: number, { longestMs, memoryMb }: ProcessLimits): ReadingProcess {
  const child = spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, '-'], {
    stdio: ['pipe', 'ignore', 'ignore', 'ipc', file],
    serialization: 'advanced',
    // The service's environment has secrets and options of Node, so the process gets an empty one.
    env: {},
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // If the process ends before it has its script, `ask` reports that.
  child.stdin!.on('error', () => {});
  readCode().then(
    (code) => child.stdin!.end(code),
    (error) => child.stdin!.destroy(error),
  );
  return {
    ask: (question) => ask(child, gone, question, longestMs),
    async end() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function ask(
  child: ChildProcess,
  gone: Promise<void>,
  question: ToProcess,
  longestMs: number,
): Promise<FromProcess> {
  const stopped = new AbortController();
  const { signal } = stopped;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, longestMs);
  try {
    const answer = once(child, 'message', { signal }).then(([message]) => message as FromProcess);
    // The case of an ended process is handled below.
    if (child.connected) child.send(question, () => {});
    const first = await Promise.race([answer, gone]);
    stopped.abort();
    await answer.catch(() => {});
    if (first) return first;
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw new ListFault(FAULTS.time);
  // V8 ends a process without memory with SIGABRT or SIGTRAP, the system with SIGKILL.
  if (child.signalCode !== null || (child.exitCode ?? 0) > 128) throw new ListFault(FAULTS.memory);
  throw new Error(`the process that reads a list ended with ${child.exitCode}`);
}
