/** Reads the processor time of the database's processes, which have no probe, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The fields of `/proc/PID/stat` after the name (proc(5)): the parent, its own time, and the time of its ended
 * children.
 */
const PARENT = 1;
const TIMES = [11, 12, 13, 14];
const TICKS_PER_SECOND = 100;

/** The microseconds of all PostgreSQL servers below a process. NaN without /proc. */
export function databaseProcessor(below: number): number {
  const processes = new Map<number, { name: string; fields: string[] }>();
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const found = readStat(pid);
      if (found) processes.set(Number(pid), found);
    }
  } catch {
    return Number.NaN;
  }
  const isBelow = (pid: number): boolean => {
    const parent = Number(processes.get(pid)?.fields[PARENT] ?? 0);
    return parent > 0 && (parent === below || isBelow(parent));
  };
  let ticks = 0;
  for (const [pid, { name, fields }] of processes) {
    if (name !== 'postgres' || !isBelow(pid)) continue;
    for (const field of TIMES) ticks += Number(fields[field]);
  }
  return (ticks / TICKS_PER_SECOND) * 1_000_000;
}

/** `undefined` if the process has ended meanwhile. */
function readStat(pid: string) {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))!;
    return { name: name!, fields: rest!.split(' ') };
  } catch {
    return undefined;
  }
}
