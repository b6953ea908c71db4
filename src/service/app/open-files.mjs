/**
 * Checks how many files the process may open. Each program does it before it loads the rest, because each module is a
 * file. It is no TypeScript, because `npm start` does it before the build.
 */
import { readFileSync } from 'node:fs';

/** For the modules at the start, the pool of the database and a few clients. Each connection is a file, too. */
const FEWEST = 128;

/** Ends the process with one sentence if there are too few. */
export function requireOpenFiles() {
  const fault = whyTooFewFiles(readLimits());
  if (fault === undefined) return;
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

/** @returns one sentence, or `undefined` if there are enough */
export function whyTooFewFiles(limits) {
  const most = /^Max open files +(\d+) /m.exec(limits)?.[1];
  if (most === undefined || Number(most) >= FEWEST) return undefined;
  return `Expected a limit of at least ${FEWEST} open files, got ${most}. Raise it with "ulimit -n 65536", or with LimitNOFILE=65536 in the systemd unit.`;
}

/** Only Linux has this file. */
function readLimits() {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
