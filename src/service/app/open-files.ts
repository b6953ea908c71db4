/** Checks how many files the process may open. This must load before the rest, because each module is a file. */
import { readFileSync } from 'node:fs';

/** For the modules at the start, the pool of the database and a few clients. Each connection is a file, too. */
const FEWEST = 128;

/** @returns one sentence, or `undefined` if there are enough */
export function whyTooFewFiles(limits = readLimits()): string | undefined {
  const most = /^Max open files +(\d+) /m.exec(limits)?.[1];
  if (most === undefined || Number(most) >= FEWEST) return undefined;
  return `Expected a limit of at least ${FEWEST} open files, got ${most}. Raise it with "ulimit -n 65536", or with LimitNOFILE=65536 in the systemd unit.`;
}

/** Only Linux has this file. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
