/** The engine of one process, and its reports to the operator. */
import type { Finding } from '../../engine/doctor/finding.ts';
import { createEngine, type EngineParts } from '../../engine/engine.ts';
import type { ListReport } from '../../engine/facts/facts.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import { createEngineFacts } from '../../engine/facts/operator-lists.ts';
import type { FindOrganisation } from '../../engine/organisation.ts';
import type { Verifier } from '../../engine/verifier.ts';
import type { LiveSettings } from '../config/sections/live-section.ts';
import { describeError, type Log } from '../core/log.ts';
import { type Repeated, repeat } from '../jobs/repeat.ts';

/** How soon the service notices that the port was opened. */
const LOOK_AGAIN_MS = 60_000;

export interface LiveEngine {
  readonly verifier: Verifier;
  /** Finds the organisation that runs the mail servers of an address. */
  readonly findOrganisation: FindOrganisation;
  /** Whether port 25 is certainly closed. Every result would then be `no_connect`. */
  isPortClosed(): boolean;
  /** The lists that count at the moment. */
  lists(): readonly ListReport[];
  /** Runs `doctor` once, logs its findings, and checks the port while it is closed. */
  start(): void;
  stop(): Promise<void>;
}

export function createLiveEngine(
  live: LiveSettings,
  log: Log,
  parts: Pick<EngineParts, 'pacing' | 'domainFacts' | 'onAsked'>,
): LiveEngine {
  const facts = createEngineFacts(loadPublishedLists(), live.listsFolder, (file, message) =>
    log('warn', 'lists', { file, message }),
  );
  const engine = createEngine({
    options: live,
    facts,
    ...parts,
    onFault: (error) => log('error', 'verification failed', describeError(error)),
  });
  let isClosed = false;
  let isStopped = false;
  let portChecks: Repeated | undefined;
  let first: Promise<void> | undefined;

  function setClosed(isClosedNow: boolean): void {
    if (isClosed && !isClosedNow) log('info', 'port open again', { port: live.smtpPort });
    isClosed = isClosedNow;
  }

  async function lookFirst(): Promise<void> {
    const diagnosis = await engine.diagnose(live.blockLists);
    // An interrupted check says nothing about the machine.
    if (isStopped) return;
    logDiagnosis(diagnosis.findings.filter(isUnwell), live, log);
    setClosed(diagnosis.isPortClosed);
  }

  return {
    verifier: engine.verifier,
    findOrganisation: engine.findOrganisation,
    isPortClosed: () => isClosed,
    lists: facts.reportLists,
    start() {
      const report = (error: unknown) => log('warn', 'doctor failed', describeError(error));
      first = lookFirst().catch(report);
      const look = async () => isClosed && setClosed(await engine.isPortClosed());
      portChecks = repeat(look, LOOK_AGAIN_MS, report);
    },
    async stop() {
      isStopped = true;
      await Promise.all([portChecks?.stop(), first, engine.close()]);
    },
  };
}

const isUnwell = ({ status }: Finding) => status === 'warning' || status === 'problem';

/**
 * Whether the config is for trying things out. A real one may have a name server on this machine, but contacts no private
 * address.
 */
const isTrial = ({ allowPrivateAddresses, dns }: LiveSettings) =>
  allowPrivateAddresses && dns?.every((server) => /^(127\.|\[?::1\b)/.test(server)) === true;

/** Logs one line. `admin doctor` gives the advice. */
function logDiagnosis(unwell: readonly Finding[], live: LiveSettings, log: Log): void {
  if (unwell.length === 0) {
    log('info', 'doctor', { problems: 0 });
    return;
  }
  log('warn', 'doctor', {
    problems: unwell.length,
    checks: unwell.map(({ check }) => check).join(', '),
    advice: isTrial(live)
      ? 'This is expected without the Internet: the name servers of the config are on this machine, as those of "npm run world".'
      : 'Run "npm run --silent admin -- --config FILE doctor" to see what to do.',
  });
}
