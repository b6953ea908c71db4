/** The first two steps of the pages that are tried without the Internet: the world, and a service that asks it. */
import { dirname } from 'node:path';
import { createTestDatabase } from '../service/support/database.ts';
import { freePath } from '../service/support/room.ts';
import {
  DEMO_LISTENS,
  type ListeningProcess,
  type ProcessOptions,
} from '../service/support/service-process.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** Starts the world, and replaces its folder. */
export async function startWorld(terminal: Terminal, command: string): Promise<{ folder: string }> {
  terminal.set('--data world', `--data ${freePath()}`);
  const { address: config } = await terminal.start(command, /config (.+world\.json)\n(?:.*\n)*.*Ctrl\+C/);
  const folder = dirname(config);
  terminal.set('world/', `${folder}/`);
  return { folder };
}

export interface OpenWorld {
  readonly folder: string;
  readonly service: ListeningProcess;
  /** A terminal for one test, which replaces the folder, the address and the live key. */
  openTerminal(): Terminal;
  close(): Promise<void>;
}

/**
 * Starts both for all tests of a file. The service uses a database of the tests: to make an embedded one takes longer than
 * the tests.
 *
 * @param settings other variables of the environment
 */
export async function openWorld(
  world: string,
  start: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<OpenWorld> {
  const kills: (() => Promise<void>)[] = [];
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, ...settings };
  const options: ProcessOptions = { environment, atEnd: (kill) => void kills.push(kill) };
  const terminal = createTerminal(options);
  const { folder } = await startWorld(terminal, world);
  const service = await terminal.start(`${start} --port 0`, DEMO_LISTENS);
  terminal.set('http://127.0.0.1:8080', service.address);
  terminal.set('live_your_key', /live_\w+/.exec(service.output())?.[0] ?? '');
  return {
    folder,
    service,
    openTerminal: () => terminal.another({ environment }),
    async close() {
      for (const kill of kills) await kill();
      await database.drop();
    },
  };
}
