/** Command line → config → listen → orderly stop. The only file that reads the environment and signals. */
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { ConfigError } from './config/failure.ts';
import { loadSettings, type Settings } from './config/load.ts';
import { findWarnings } from './config/warnings.ts';
import { DEMO_KEYS, demoWelcome } from './demo-keys.ts';
import { loadBuild, loadReleases } from './files/load-build.ts';
import { idOf } from './keys/config-keys.ts';
import { bufferLines, describeError, jsonLog, type Log } from './log.ts';
import { makeStoppable } from './stop.ts';
import { createService, type ServiceOptions } from './web.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;
/** How many ports after the usual one the demo tries. */
const PORTS_TO_TRY = 50;

/** The build's folder, one above that of the built service. */
const DIST = fileURLToPath(new URL('..', import.meta.url));
/** The released builds: `releases/2.0.0/` holds what `dist/` held then, or its `integrity.json` alone. */
const RELEASES = fileURLToPath(new URL('../../releases', import.meta.url));
/** Made by `npm run reference`; without it nothing is there. */
const REFERENCE_FOLDER = `${DIST}reference`;
const DOCS_FOLDER = `${DIST}docs`;
const DEMO_FOLDER = fileURLToPath(new URL('../../demo', import.meta.url));
const DEMO_LIBRARIES = fileURLToPath(new URL('../demo-libraries', import.meta.url));

const FORBIDDEN = 403;

const EXIT_FAILURE = 1;
const EXIT_CONFIG = 2;

const lines = bufferLines((text) => process.stderr.write(text));
const writeLog = jsonLog(lines.add, Date.now);
const log: Log = (level, event, details) => {
  writeLog(level, event, details);
  // What went wrong is there to be read at once, whatever becomes of the process.
  if (level !== 'info') lines.flush();
};
// However orderly the end is; a process that is killed may lose the last tenth of a second.
process.on('exit', lines.flush);

let stop = async (): Promise<void> => {};
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => void stop().then(() => process.exit(0)));
}

// Node's own report would quote the message, and a message may quote what a visitor typed.
process.on('uncaughtException', (error) => {
  log('error', 'uncaught error', describeError(error));
  process.exit(EXIT_FAILURE);
});

try {
  await start(readCommandLine(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  giveUp(EXIT_CONFIG, error.message);
}

async function start(commandLine: CommandLine): Promise<void> {
  const settings = commandLine.isDemo ? undefined : loadSettings(commandLine.config!, process.env);
  const host = commandLine.host ?? settings?.host ?? DEFAULT_HOST;
  const namedPort = commandLine.port ?? settings?.port;
  const app = createService(settings ? serviceOptions(settings) : demoOptions());
  stop = makeStoppable(app);

  const mayMove = commandLine.isDemo && namedPort === undefined;
  await listen(app, host, namedPort ?? DEFAULT_PORT, mayMove ? PORTS_TO_TRY : 1);
  const { port } = app.server.address() as AddressInfo;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  settings?.keys.forEach(({ key }, index) => {
    log('info', 'config key', { key: idOf(key), place: `keys[${index}]` });
  });
  for (const { place, advice } of findWarnings(settings?.keys ?? []))
    log('warn', 'config', { place, advice });
  process.stdout.write(commandLine.isDemo ? demoWelcome(address) : `listening on ${address}\n`);
}

function serviceOptions({ keys, limits, trustProxy }: Settings): ServiceOptions {
  return { keys, limits, trustProxy, log, ...loadWidget() };
}

/**
 * The log has faults and refusals only. The browser shows all other requests, but it hides the body of a 403 from
 * the page's author.
 */
function demoOptions(): ServiceOptions {
  return {
    keys: DEMO_KEYS,
    isDemo: true,
    demoFolder: DEMO_FOLDER,
    docsFolder: DOCS_FOLDER,
    referenceFolder: REFERENCE_FOLDER,
    demoLibraries: DEMO_LIBRARIES,
    ...loadWidget(),
    log: (level, event, details) => {
      if (level !== 'info' || details?.status === FORBIDDEN) log(level, event, details);
    },
  };
}

/** The present build, and the ones that have been released. */
function loadWidget() {
  const build = loadBuild(DIST);
  if (!build) {
    giveUp(EXIT_FAILURE, 'Expected the built widget in dist/, got none. Run "npm run build" first.');
  }
  const { version: widgetVersion, files: widgetFiles } = build;
  return { widgetFiles, widgetVersion, widgetReleases: loadReleases(RELEASES, build) };
}

/** Listens on the first free port from `port` on; with one try, on that port or not at all. */
async function listen(app: FastifyInstance, host: string, port: number, tries: number): Promise<void> {
  for (let next = port; ; next += 1) {
    try {
      await app.listen({ host, port: next });
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE' && next + 1 < port + tries) continue;
      giveUp(EXIT_FAILURE, listenAdvice(code, host, next));
    }
  }
}

function listenAdvice(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Expected port ${port} on ${host} to be free, but something listens there already. Stop that, or name another with --port (0 takes a free one).`;
  }
  if (code === 'EACCES')
    return `Expected a port that may be listened on, got ${port}. Name one above 1023 with --port.`;
  return `Expected a host of this machine, got ${host} (${code ?? 'unknown error'}). Name one with --host.`;
}

function giveUp(exitCode: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}
