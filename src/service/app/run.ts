/** Command line → config → listen → orderly stop. The only file that reads the environment and signals. */
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Verified } from '../../engine/verifier.ts';
import { ConfigError } from '../config/config-error.ts';
import { DEFAULT_HOST, DEFAULT_PORT } from '../config/config-schema.ts';
import { findWarnings } from '../config/config-warnings.ts';
import { loadLooseSettings, loadSettings, type ProofKeyFile } from '../config/load-settings.ts';
import type { MetricsPlace } from '../config/sections/metrics-section.ts';
import { checkRole, type Role } from '../config/sections/role-section.ts';
import { bufferLines, describeError, jsonLog, type Log } from '../core/log.ts';
import { thinOut } from '../core/thin-out.ts';
import { UsageError } from '../core/usage-error.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { DatabaseLocation } from '../database/database-location.ts';
import type { EmbeddedServer } from '../database/embedded/start-embedded.ts';
import { DEMO_KEYS } from '../demo/demo-keys.ts';
import { demoWelcome } from '../demo/demo-welcome.ts';
import { demoUrls, ownAddresses } from '../demo/own-addresses.ts';
import { loadBuild, loadReleases } from '../files/load-build.ts';
import { idOf } from '../keys/config-keys.ts';
import type { Metrics } from '../operations/metrics/metrics.ts';
import { openProofKeyFile } from '../proof/proof-key-file.ts';
import { createLoneKey } from '../proof/proof-keys.ts';
import { type CommandLine, DEMO_DOES_ALL, HELP, readCommandLine } from './command-line.ts';
import { keepHeapSmall } from './heap.ts';
import { ListenError, listen } from './listen.ts';
import type { OpenedDeps, OpenOptions } from './open-deps.ts';
import { type End, endAll, makeStoppable } from './stop.ts';

/** How many ports after the usual one the demo tries. */
const PORTS_TO_TRY = 50;

/** The folder of the demo's database, in the current folder. */
const DATA_FOLDER = '.data';

const METRICS_NAMES = { port: 'metrics.port in the config', host: 'metrics.host in the config' };

const FORBIDDEN = 403;

const EXIT_FAILURE = 1;
const EXIT_CONFIG = 2;

/** The build puts the version in. */
declare const VERSION: string;

/** What `npm start` still makes while the service runs already. A part without a promise is there. */
export interface Making {
  readonly widget?: Promise<void> | undefined;
  readonly docs?: Promise<void> | undefined;
  readonly reference?: Promise<void> | undefined;
}

export interface Start {
  /** The top folder: it has `dist/`, and may have `demo/` and `releases/`. */
  readonly folder: string;
  /** Those of the command line. */
  readonly parameters: readonly string[];
  /** @default nothing: the build is whole */
  readonly making?: Making;
}

const lines = bufferLines((text) => process.stderr.write(text));
const writeLog = jsonLog(lines.add, Date.now);
const log = thinOut((level, event, details) => {
  writeLog(level, event, details);
  // Warnings and errors are written at once, in case the process ends.
  if (level !== 'info') lines.flush();
});

/** The steps of stopping, in reverse order. Each gets the remaining time in milliseconds. */
const open: End[] = [];
let isStopping = false;

/** Resolves when the service listens. */
export async function run({ folder, parameters, making = {} }: Start): Promise<void> {
  keepHeapSmall();
  watchProcess();
  sayWhatFails(making);
  try {
    if (parameters.includes('--help')) process.stdout.write(HELP);
    else await start(readCommandLine(parameters), { folder, making });
  } catch (error) {
    giveUpOver(error);
  }
}

function watchProcess(): void {
  // Runs at every normal exit. A killed process may lose the last tenth of a second.
  process.on('exit', lines.flush);
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
}

/** A part that cannot be made costs a line in the log and its pages, not the service. */
function sayWhatFails(making: Making): void {
  for (const [part, made] of Object.entries(making) as [string, Promise<void> | undefined][]) {
    made?.catch(({ message }: Error) => {
      // Stopping ends the build, too.
      const [reason = ''] = message.split('\n');
      if (!isStopping) log('error', 'build failed', { part, reason });
    });
  }
}

type Place = Required<Pick<Start, 'folder' | 'making'>>;

async function start(commandLine: CommandLine, place: Place): Promise<void> {
  if (commandLine.isDemo) return startDemo(commandLine, place);
  const { keys, ...loaded } = loadSettings(commandLine.config, process.env);
  const { role = loaded.role, host = loaded.host ?? DEFAULT_HOST } = commandLine;
  const settings = { ...loaded, role, host };
  checkRole(role, settings.database);
  const files = loadBrowserFiles(place);
  const metrics = settings.metrics && (await serveMetrics(settings.metrics, role, files.widgetVersion));
  const { embedded } = await beginEmbedded(settings.database, log);
  const web = loadWeb(settings.database !== undefined && role !== 'worker');
  const opened = settings.database && (await openDatabase({ settings, log, metrics, embedded }));
  const shared = { settings, log, ...observers(opened, metrics) };
  const { createService } = await web;
  const proofKeys = opened ? undefined : loneKey(settings.proofKeyFile);
  const app =
    role === 'worker'
      ? createService({ keys: [], isHealthOnly: true, ...shared })
      : createService({ keys, deps: opened?.deps, proofKeys, ...shared, ...files });
  open.push(makeStoppable(app));
  // An embedded database belongs to this process, so the service waits for it before it listens. Meanwhile, it makes its
  // routes.
  if (embedded) await Promise.all([opened?.ready, app.ready()]);
  const address = await listen(app, host, commandLine.port ?? settings.port ?? DEFAULT_PORT, 1);
  if (role === 'worker') opened?.deps.publicUrl.listensOn(app.server.address() as AddressInfo);
  keys.forEach(({ key }, index) => {
    log('info', 'config key', { key: idOf(key), place: `keys[${index}]` });
  });
  warn({ ...settings, keys });
  process.stdout.write(`listening on ${address}\n`);
}

/** The key of a service without a database. */
function loneKey(file: ProofKeyFile) {
  const pair = openProofKeyFile(file, log);
  return createLoneKey(() => pair);
}

function warn(settings: Parameters<typeof findWarnings>[0]): void {
  for (const { place, advice } of findWarnings(settings)) log('warn', 'config', { place, advice });
}

/**
 * A service without a database does not load this code, so it starts faster.
 *
 * The service waits for a database that it cannot reach yet. A permanent refusal ends the start.
 */
async function openDatabase(options: OpenOptions): Promise<OpenedDeps> {
  const { openDeps } = await import('./open-deps.ts');
  const opened = openDeps(options);
  open.push(opened.close);
  opened.ready.then(() => log('info', 'database', { what: opened.what() }), giveUpOver);
  return opened;
}

/** Also loads the routes that need a database, while the database is opened. */
async function loadWeb(hasDatabase: boolean) {
  const [web] = await Promise.all([import('./web.ts'), hasDatabase && import('./database-routes.ts')]);
  return web;
}

interface Begun {
  /** Undefined for a database that is not embedded. */
  readonly embedded: Promise<EmbeddedServer> | undefined;
}

/** Begins what takes as long as loading the rest: the server of an embedded database. Then both go on side by side. */
async function beginEmbedded(location: DatabaseLocation | undefined, log: Log): Promise<Begun> {
  if (!location || !('folder' in location)) return { embedded: undefined };
  const { startEmbedded } = await import('../database/embedded/start-embedded.ts');
  const embedded = startEmbedded(location.folder, { log });
  // If it does not start, the database that needs it says why.
  const server = embedded.catch(() => undefined);
  open.push(async () => (await server)?.stop());
  return { embedded };
}

/** Listens before anything else is opened, so that a port in use ends the start at once. Stops last. */
async function serveMetrics({ host, port }: MetricsPlace, role: Role, version: string): Promise<Metrics> {
  const [{ createMetrics }, { createMetricsServer }] = await Promise.all([
    import('../operations/metrics/metrics.ts'),
    import('../operations/metrics/metrics-server.ts'),
  ]);
  const metrics = createMetrics({ role, version });
  const server = createMetricsServer(metrics);
  open.push(makeStoppable(server));
  const address = await listen(server, host, port, 1, METRICS_NAMES);
  log('info', 'metrics', { address: `${address}/metrics` });
  return metrics;
}

/** The callbacks of the routes, for metrics and readiness. */
function observers(opened: OpenedDeps | undefined, metrics: Metrics | undefined) {
  // A service without a database is always ready.
  const whyNotReady = opened?.whyNotReady ?? (() => undefined);
  if (!metrics) return { whyNotReady };
  if (!opened) metrics.setSources({ whyNotReady });
  const { onResponse, onVerified } = metrics.counters;
  return {
    whyNotReady,
    onAnswered: onResponse,
    onSample: (verified: Verified) => onVerified('test', 'request', verified),
  };
}

async function startDemo(commandLine: CommandLine, place: Place): Promise<void> {
  /**
   * Logs only 403s and problems. The browser shows all other requests, but hides the body of a 403 from the page's
   * author.
   */
  const demoLog: Log = (level, event, details) => {
    if (level !== 'info' || details?.status === FORBIDDEN) log(level, event, details);
  };
  const { config, data: folder } = commandLine;
  const base = process.cwd();
  const { keys, ...loaded } = loadLooseSettings(config, process.env);
  const { host = loaded.host ?? DEFAULT_HOST, port = loaded.port } = commandLine;
  if (loaded.role !== 'all') throw new ConfigError(DEMO_DOES_ALL);
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
  const ofCommandLine = folder !== undefined && !DATABASE_URL && !DATABASE_URL_FILE ? { folder } : undefined;
  const named = ofCommandLine ?? loaded.database ?? { folder: DATA_FOLDER };
  const location = 'folder' in named ? { folder: resolve(base, named.folder) } : named;
  const settings = { ...loaded, host, database: location };
  const files = loadBrowserFiles(place);
  const metrics = settings.metrics && (await serveMetrics(settings.metrics, 'all', files.widgetVersion));
  const { embedded } = await beginEmbedded(location, demoLog);
  const web = loadWeb(true);
  const { openDemoDatabase } = await import('./demo-database.ts');
  const database = openDemoDatabase({ settings, log: demoLog, metrics, embedded });
  if (database.opened) open.push(database.opened.close);
  const { createService } = await web;
  const create = (opened: OpenedDeps | undefined) => {
    const app = createService({
      ...{ settings, log: demoLog, deps: opened?.deps, isDemo: true },
      keys: opened ? keys : [...DEMO_KEYS, ...keys],
      demoAddresses: () => ownAddresses(host),
      demoFolder: join(place.folder, 'demo'),
      demoLibraries: join(place.folder, 'dist/demo-libraries'),
      ...{ ...files, ...observers(opened, metrics) },
    });
    return { app, end: makeStoppable(app) };
  };
  let service = create(database.opened);
  // It makes its routes while the database opens. If that fails, a service without a database takes its place.
  const [data] = await Promise.all([database.data, service.app.ready()]);
  if (database.opened && !data.account) {
    await service.end();
    service = create(undefined);
  }
  open.push(service.end);
  const tries = port === undefined ? PORTS_TO_TRY : 1;
  const { port: taken } = new URL(await listen(service.app, host, port ?? DEFAULT_PORT, tries));
  warn({ ...settings, keys, database: data.account && named });
  process.stdout.write(demoWelcome(demoUrls(host, Number(taken)), data));
}

/** The current build of the browser files, and the released widgets. */
function loadBrowserFiles({ folder, making }: Place) {
  const dist = join(folder, 'dist');
  const build = loadBuild(dist, making.widget && { version: VERSION, made: making.widget });
  if (!build)
    giveUp(EXIT_FAILURE, 'Expected the built widget in dist/, but it is missing. Run "npm run build" first.');
  const { version: widgetVersion, files: widgetFiles } = build;
  const [docsFolder, referenceFolder] = [join(dist, 'docs'), join(dist, 'reference')];
  return {
    ...{ widgetFiles, widgetVersion, widgetReleases: loadReleases(join(folder, 'releases'), build) },
    dashboardScript: readFileSync(join(dist, 'dashboard.js'), 'utf8'),
    docs: making.docs || existsSync(docsFolder) ? { folder: docsFolder, made: making.docs } : undefined,
    referenceFolder: making.reference || existsSync(referenceFolder) ? referenceFolder : undefined,
    referenceMade: making.reference,
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
  if (error instanceof ConfigError || error instanceof UsageError) giveUp(EXIT_CONFIG, error.message);
  if (error instanceof DatabaseError || error instanceof ListenError) giveUp(EXIT_FAILURE, error.message);
  throw error;
}
