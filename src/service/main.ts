/** Command line → config → listen → orderly stop. The only file that reads the environment and signals. */
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Verified } from '../engine/verifier.ts';
import { type CommandLine, DEMO_DOES_ALL, HELP, readCommandLine } from './command-line.ts';
import { ConfigError } from './config/failure.ts';
import { loadLooseSettings, loadSettings, type Settings } from './config/load.ts';
import type { MetricsPlace } from './config/metrics.ts';
import { checkRole, type Role } from './config/role.ts';
import { DEFAULT_HOST, DEFAULT_PORT } from './config/schema.ts';
import { findWarnings } from './config/warnings.ts';
import { DatabaseError } from './database/failure.ts';
import type { DatabaseLocation } from './database/location.ts';
import { DEMO_KEYS } from './demo/keys.ts';
import { demoUrls, ownAddresses } from './demo/own-addresses.ts';
import { demoWelcome } from './demo/welcome.ts';
import { loadDocs } from './docs/content.ts';
import { loadBuild, loadReleases } from './files/load-build.ts';
import { keepHeapSmall } from './heap.ts';
import { idOf } from './keys/config-keys.ts';
import { ListenError, listen } from './listen.ts';
import { bufferLines, describeError, jsonLog, type Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Parts } from './parts.ts';
import { type End, endAll, makeStoppable } from './stop.ts';
import { createService } from './web.ts';

/** How many ports after the usual one the demo tries. */
const PORTS_TO_TRY = 50;

/** The build's folder, one above that of the built service. */
const DIST = fileURLToPath(new URL('..', import.meta.url));
/** The released builds: `releases/2.0.0/` has the `dist/` of that release, or only its `integrity.json`. */
const RELEASES = fileURLToPath(new URL('../../releases', import.meta.url));
/** Made by `npm run reference`. Without it, `/reference/` does not exist. */
const REFERENCE_FOLDER = `${DIST}reference`;
const DOCS_FOLDER = `${DIST}docs`;
const DASHBOARD_SCRIPT = `${DIST}dashboard.js`;
const DEMO_FOLDER = fileURLToPath(new URL('../../demo', import.meta.url));
/** The folder of the demo's database, in the current folder. */
const DATA_FOLDER = '.data';
const DEMO_LIBRARIES = fileURLToPath(new URL('../demo-libraries', import.meta.url));

const METRICS_NAMES = { port: 'metrics.port in the config', host: 'metrics.host in the config' };

const FORBIDDEN = 403;

const EXIT_FAILURE = 1;
const EXIT_CONFIG = 2;

keepHeapSmall();

const lines = bufferLines((text) => process.stderr.write(text));
const writeLog = jsonLog(lines.add, Date.now);
const log: Log = (level, event, details) => {
  writeLog(level, event, details);
  // Warnings and errors are written at once, in case the process ends.
  if (level !== 'info') lines.flush();
};
// Runs at every normal exit. A killed process may lose the last tenth of a second.
process.on('exit', lines.flush);

/** The steps of stopping, in reverse order. Each gets the remaining time in milliseconds. */
const open: End[] = [];
let isStopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (isStopping) return;
    isStopping = true;
    void endAll(open.reverse()).then(() => process.exit(0));
  });
}

// Node's own report would contain the message, which may quote a visitor's input.
process.on('uncaughtException', (error) => {
  log('error', 'uncaught error', describeError(error));
  process.exit(EXIT_FAILURE);
});

const parameters = process.argv.slice(2);
try {
  if (parameters.includes('--help')) process.stdout.write(HELP);
  else await start(readCommandLine(parameters));
} catch (error) {
  giveUpOver(error);
}

async function start(commandLine: CommandLine): Promise<void> {
  if (commandLine.isDemo) return startDemo(commandLine);
  const settings = loadSettings(commandLine.config, process.env);
  const role = commandLine.role ?? settings.role;
  checkRole(role, settings.database);
  const host = commandLine.host ?? settings.host ?? DEFAULT_HOST;
  const files = loadBrowserFiles();
  const metrics = settings.metrics && (await serveMetrics(settings.metrics, role, files.widgetVersion));
  const parts =
    settings.database && (await openDatabase(settings, settings.database, { role, host, metrics }));
  // An embedded database belongs to this process, so the service waits for it before it listens.
  if (parts && 'folder' in settings.database!) await parts.ready;
  const shared = { trustProxy: settings.trustProxy, log, ...observers(parts, metrics) };
  const app =
    role === 'worker'
      ? createService({ keys: [], isHealthOnly: true, ...shared })
      : createService({
          keys: settings.keys,
          limits: settings.limits,
          acceptAllByDefault: settings.live?.catchAllByDefault,
          rooms: parts?.rooms(settings.limits),
          publicUrl: settings.publicUrl,
          ...shared,
          ...files,
        });
  open.push(makeStoppable(app));
  const address = await listen(app, host, commandLine.port ?? settings.port ?? DEFAULT_PORT, 1);
  if (role === 'worker') parts?.listensOn(app.server.address() as AddressInfo);
  settings.keys.forEach(({ key }, index) => {
    log('info', 'config key', { key: idOf(key), place: `keys[${index}]` });
  });
  warn({ ...settings, host, role });
  process.stdout.write(`listening on ${address}\n`);
}

function warn(settings: Parameters<typeof findWarnings>[0]): void {
  for (const { place, advice } of findWarnings(settings)) log('warn', 'config', { place, advice });
}

/**
 * A service without a database does not load this code, so it starts faster.
 *
 * The service waits for a database that it cannot reach yet. A permanent refusal ends the start.
 */
async function openDatabase(
  settings: Settings,
  location: DatabaseLocation,
  more: { readonly role: Role; readonly host: string; readonly metrics: Metrics | undefined },
): Promise<Parts> {
  const { openParts } = await import('./parts.ts');
  const parts = openParts({ ...settings, ...more, location, log });
  open.push(parts.close);
  parts.ready.then(() => log('info', 'database', { what: parts.what() }), giveUpOver);
  return parts;
}

/** Listens before anything else is opened, so that a port in use ends the start at once. Stops last. */
async function serveMetrics({ host, port }: MetricsPlace, role: Role, version: string): Promise<Metrics> {
  const [{ createMetrics }, { createMetricsServer }] = await Promise.all([
    import('./metrics/metrics.ts'),
    import('./metrics/server.ts'),
  ]);
  const metrics = createMetrics({ role, version });
  const server = createMetricsServer(metrics);
  open.push(makeStoppable(server));
  const address = await listen(server, host, port, 1, METRICS_NAMES);
  log('info', 'metrics', { address: `${address}/metrics` });
  return metrics;
}

/** The callbacks of the routes, for metrics and readiness. */
function observers(parts: Parts | undefined, metrics: Metrics | undefined) {
  // A service without a database is always ready.
  const whyNotReady = parts?.whyNotReady ?? (() => undefined);
  if (!metrics) return { whyNotReady };
  if (!parts) metrics.watch({ whyNotReady });
  const { onResponse, onVerified } = metrics.own;
  return {
    whyNotReady,
    onAnswered: onResponse,
    onSample: (verified: Verified) => onVerified('test', 'request', verified),
  };
}

async function startDemo(commandLine: CommandLine): Promise<void> {
  /**
   * Logs only 403s and problems. The browser shows all other requests, but hides the body of a 403 from the page's
   * author.
   */
  const demoLog: Log = (level, event, details) => {
    if (level !== 'info' || details?.status === FORBIDDEN) log(level, event, details);
  };
  const { config, data: folder } = commandLine;
  const base = process.cwd();
  const settings = loadLooseSettings(config, process.env);
  const { host = settings.host ?? DEFAULT_HOST, port = settings.port } = commandLine;
  if (settings.role !== 'all') throw new ConfigError(DEMO_DOES_ALL);
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
  const ofCommandLine = folder !== undefined && !DATABASE_URL && !DATABASE_URL_FILE ? { folder } : undefined;
  const location = ofCommandLine ?? settings.database ?? { folder: DATA_FOLDER };
  const files = loadBrowserFiles();
  const metrics = settings.metrics && (await serveMetrics(settings.metrics, 'all', files.widgetVersion));
  const { openDemoDatabase } = await import('./demo/database.ts');
  const { parts, data } = await openDemoDatabase(
    {
      ...{ ...settings, host, metrics },
      location: 'folder' in location ? { folder: resolve(base, location.folder) } : location,
    },
    demoLog,
    (parts) => open.push(parts.close),
  );
  const app = createService({
    keys: parts ? settings.keys : [...DEMO_KEYS, ...settings.keys],
    demoAddresses: () => ownAddresses(host),
    limits: settings.limits,
    acceptAllByDefault: settings.live?.catchAllByDefault,
    trustProxy: settings.trustProxy,
    rooms: parts?.rooms(settings.limits),
    publicUrl: settings.publicUrl,
    isDemo: true,
    demoFolder: DEMO_FOLDER,
    demoLibraries: DEMO_LIBRARIES,
    ...files,
    ...observers(parts, metrics),
    log: demoLog,
  });
  open.push(makeStoppable(app));
  const tries = port === undefined ? PORTS_TO_TRY : 1;
  const { port: taken } = new URL(await listen(app, host, port ?? DEFAULT_PORT, tries));
  warn({ ...settings, host, database: parts && location });
  process.stdout.write(demoWelcome(demoUrls(host, Number(taken)), data));
}

/** The current build of the browser files, and the released widgets. */
function loadBrowserFiles() {
  const build = loadBuild(DIST);
  if (!build) {
    giveUp(EXIT_FAILURE, 'Expected the built widget in dist/, but it is missing. Run "npm run build" first.');
  }
  const { version: widgetVersion, files: widgetFiles } = build;
  return {
    ...{ widgetFiles, widgetVersion, widgetReleases: loadReleases(RELEASES, build) },
    dashboardScript: readFileSync(DASHBOARD_SCRIPT, 'utf8'),
    docs: loadDocs(DOCS_FOLDER),
    referenceFolder: existsSync(REFERENCE_FOLDER) ? REFERENCE_FOLDER : undefined,
  };
}

function giveUp(exitCode: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}

/** Ends the start for errors that an operator can fix. Other errors are bugs of the service. */
function giveUpOver(error: unknown): void {
  // Stopping closes the database, so a start that still waits for it fails. That is not an error.
  if (isStopping && error instanceof DatabaseError) return;
  if (error instanceof ConfigError) giveUp(EXIT_CONFIG, error.message);
  if (error instanceof DatabaseError || error instanceof ListenError) giveUp(EXIT_FAILURE, error.message);
  throw error;
}
