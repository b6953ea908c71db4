/** What disturbs the service: killed and frozen processes, connections that break or fall silent, mail servers that hang. */
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../load/world.ts';
import type { Server } from '../service/server.ts';
import type { Network } from './proxy.ts';
import type { Random } from './receivers.ts';

export interface Fleet {
  /** The processes that run, or are frozen. */
  readonly services: Set<Server>;
  start(): Promise<void>;
}

/**
 * Processes that come back until the fleet is closed.
 *
 * @param said gets sentences about processes that ended by themselves @param onLine gets each line of their logs
 */
export function startFleet(
  world: World,
  environment: Record<string, string>,
  said: (text: string) => void,
  onLine: (line: string) => void,
): Fleet {
  const services = new Set<Server>();
  return {
    services,
    async start() {
      for (const service of services) {
        if (isThere(service.pid)) continue;
        said(`process ${service.pid} ended by itself`);
        services.delete(service);
      }
      services.add(await world.startService({ environment, onLine }));
    },
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface Scene {
  readonly random: Random;
  readonly fleet: Fleet;
  readonly network: Network;
  readonly world: World;
}

/** Each resolves when it is over. Several may happen at the same time. */
const DISTURBANCES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async killed({ random, fleet }) {
    const victim = pick(random, fleet);
    if (!victim) return;
    fleet.services.delete(victim);
    await victim.kill();
    await pause(random() * 3_000);
    // It may be disturbed while it starts. The end of the run starts as many as there should be.
    await fleet.start().catch(() => {});
  },
  async frozen({ random, fleet }) {
    const victim = pick(random, fleet);
    if (!victim) return;
    process.kill(victim.pid, 'SIGSTOP');
    // Now and then so long that others take its work over.
    await pause(random() < 0.3 ? 12_000 + random() * 25_000 : random() * 4_000);
    if (isThere(victim.pid)) process.kill(victim.pid, 'SIGCONT');
  },
  async cut({ random, network }) {
    network.cut();
    await pause(random() * 500);
    network.cut();
  },
  async silent({ random, network }) {
    network.freeze();
    await pause(random() * 4_000);
    network.thaw();
  },
  async hanging({ random, world }) {
    await world.mail('hang=true');
    await pause(random() * 4_000);
    await world.mail('hang=false');
  },
};

function pick(random: Random, { services }: Fleet): Server | undefined {
  return [...services][Math.floor(random() * services.size)];
}

/** A disturbance, and when it was, by `performance.now()`. */
export interface Disturbance {
  readonly name: string;
  readonly from: number;
  to: number;
}

/** @returns all that happened */
export async function disturb(scene: Scene, seconds: number): Promise<Disturbance[]> {
  const { random } = scene;
  const names = Object.keys(DISTURBANCES);
  const all: Disturbance[] = [];
  const open: Promise<void>[] = [];
  for (let at = 0; at < seconds * 1_000; ) {
    const rest = 500 + random() * 2_000;
    await pause(rest);
    at += rest;
    const name = names[Math.floor(random() * names.length)]!;
    const one = { name, from: performance.now(), to: Number.POSITIVE_INFINITY };
    all.push(one);
    open.push(
      DISTURBANCES[name]!(scene).finally(() => {
        one.to = performance.now();
      }),
    );
  }
  await Promise.all(open);
  return all;
}
