/** Causes faults while the service works, to find out whether anything is lost or charged twice. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../service/server.ts';
import type { World, WorldOptions } from './world.ts';

/** The world in which a fault happens. */
export interface Scene {
  readonly world: World;
  /** Two services. The second one may be replaced. */
  readonly services: Server[];
  /** The duration of the load. */
  readonly seconds: number;
}

export interface Fault {
  readonly name: string;
  /** The fault in one sentence. */
  readonly how: string;
  /** Why this machine cannot cause the fault. `undefined` if it can. */
  whyNot?(): string | undefined;
  /** Prepares the world. @returns what has to end with it */
  prepare?(): { readonly options?: WorldOptions; readonly environment?: Record<string, string>; end(): void };
  /** Causes the fault during the load, and resolves when it is over. @returns the observation */
  happen(scene: Scene): Promise<string>;
}

const KILL_EVERY_S = 10;
const FIRST_KILL_S = 3;

const killed: Fault = {
  name: 'a process is killed every 10 s',
  how: 'After 3 s and then every 10 s, SIGKILL ends one of two processes. The run starts it again on its port.',
  async happen({ world, services, seconds }) {
    let count = 0;
    for (let at = FIRST_KILL_S; at < seconds; at += KILL_EVERY_S) {
      await pause((count === 0 ? FIRST_KILL_S : KILL_EVERY_S) * 1_000);
      const victim = services[1]!;
      await victim.kill();
      count += 1;
      services[1] = await world.startService({ port: Number(new URL(victim.origin).port) });
    }
    return `${count} killed`;
  },
};

const databaseRestarted: Fault = {
  name: 'the database is restarted',
  how: 'PostgreSQL gets a SIGQUIT twice, and starts again. It shuts down without a checkpoint, so it recovers from its log.',
  async happen({ world, seconds }) {
    const pids = new Set<number>();
    for (let count = 0; count < 2; count += 1) {
      await pause((seconds / 3) * 1_000);
      pids.add(world.databasePid());
      process.kill(world.databasePid(), 'SIGQUIT');
    }
    return `${pids.size} restarts`;
  },
};

const mailServersHang: Fault = {
  name: 'mail servers hang',
  how: 'For two thirds of the time, the mail servers stop replying, and all connections stay open.',
  async happen({ world, seconds }) {
    await pause((seconds / 6) * 1_000);
    await world.mail('hang=true');
    await pause((seconds / 1.5) * 1_000);
    await world.mail('hang=false');
    return `silence of ${Math.round(seconds / 1.5)} s`;
  },
};

const DISK = '400m';

/** Makes a small disk in memory. This needs root, and does not work in every container. */
function mountDisk(folder: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'a small disk could not be mounted here (mount -t tmpfs needs root)';
  }
}

function withDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-disk-'));
  const whyNot = mountDisk(folder);
  const end = () => {
    if (whyNot === undefined) execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  };
  return { folder, whyNot, end };
}

let disk: string | undefined;

const diskFull: Fault = {
  name: 'the disk is full',
  how: `The database has a disk of its own (a tmpfs of ${DISK}). For a third of the time, files take all of its free space.`,
  whyNot() {
    const { whyNot, end } = withDisk();
    end();
    return whyNot;
  },
  prepare() {
    const { folder, end } = withDisk();
    disk = folder;
    return { options: { folder }, end };
  },
  async happen({ seconds }) {
    const filler = join(disk!, 'filler');
    await pause((seconds / 3) * 1_000);
    const { bavail, bsize } = statfsSync(disk!);
    // The first failed write means that the disk is full.
    const pieces = Array.from(
      { length: Math.ceil((bavail * bsize) / PIECE) },
      (_, index) => `${filler}${index}`,
    );
    try {
      for (const piece of pieces) writeFileSync(piece, Buffer.alloc(PIECE));
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOSPC') throw error;
    }
    const left = statfsSync(disk!);
    await pause((seconds / 3) * 1_000);
    for (const piece of pieces) rmSync(piece, { force: true });
    return `${left.bavail * left.bsize} bytes free for ${Math.round(seconds / 3)} s`;
  },
};
const PIECE = 4_000_000;

/** The paths of Debian's package `libfaketime`, on the usual processors. */
const FAKETIME = ['x86_64', 'aarch64']
  .map((processor) => `/usr/lib/${processor}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

let clock: string | undefined;

const clockJumps: Fault = {
  name: 'a clock jumps',
  how: 'libfaketime sets the wall clock of one of two processes an hour ahead, then an hour behind, then right. Its monotonic clock continues, as it does when a real clock is set.',
  whyNot: () =>
    FAKETIME === undefined ? 'libfaketime is not installed (apt-get install libfaketime)' : undefined,
  prepare() {
    const folder = mkdtempSync(join(tmpdir(), 'bench-clock-'));
    clock = join(folder, 'clock');
    writeFileSync(clock, '+0\n');
    const environment = {
      LD_PRELOAD: FAKETIME!,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
    return { environment, end: () => rmSync(folder, { recursive: true }) };
  },
  async happen({ services, seconds }) {
    const seen: string[] = [];
    for (const shift of ['+3600', '-3600', '+0']) {
      await pause((seconds / 4) * 1_000);
      writeFileSync(clock!, `${shift}\n`);
      const wanted = Number(shift) / 60;
      // The library reads its file once a second.
      while ((await minutesAhead(services[1]!)) !== wanted) await pause(200);
      seen.push(`${shift.slice(0, 1)}${Math.abs(wanted)} minutes`);
    }
    return `by its responses, it was at ${seen.join(', ')}`;
  },
};

/** How far a service's clock is ahead, by the header `Date` of its responses. */
async function minutesAhead({ origin }: Server): Promise<number> {
  const { headers } = await fetch(`${origin}/healthz`);
  return Math.round((Date.parse(headers.get('date')!) - Date.now()) / 60_000);
}

export const FAULTS: readonly Fault[] = [killed, databaseRestarted, mailServersHang, diskFull, clockJumps];
