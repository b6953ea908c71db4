/** A service with everything that a process opens: its own pool, heartbeat and housekeeping. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { openParts, type Parts, type PartsOptions } from '../../../src/service/app/parts.ts';
import { makeStoppable } from '../../../src/service/app/stop.ts';
import { createService, type ServiceOptions } from '../../../src/service/app/web.ts';
import { DEFAULT_DURATIONS, type Durations } from '../../../src/service/config/sections/durations-section.ts';
import { DEFAULT_LIMITS } from '../../../src/service/config/sections/limits-section.ts';
import type { LiveSettings } from '../../../src/service/config/sections/live-section.ts';

export interface RunningService {
  readonly parts: Parts;
  readonly logged: string[];
  ask(options: InjectOptions): Promise<LightMyRequestResponse>;
  statusOf(url: string): Promise<number>;
  /** @returns the URL */
  listen(): Promise<string>;
  /** Stops everything in the same order as the process. @param graceMs how long running work may take @default 0 */
  stop(graceMs?: number): Promise<void>;
}

export interface RunningServiceOptions
  extends Partial<Omit<ServiceOptions, 'rooms'>>,
    Pick<PartsOptions, 'role' | 'metrics' | 'deadlineAfter'> {
  readonly verifier?: Verifier;
  readonly live?: LiveSettings;
  readonly durations?: Partial<Durations>;
  readonly allowPrivateCallbacks?: boolean;
  readonly publicUrl?: string | undefined;
}

/** The jobs run often, so that no test waits for them. */
const PACES = { heartbeat: 1_000, housekeeping: 500, samples: 100, batches: 100, callbacks: 100 };

/** Returns at once. The service ends with the test. */
export function runService(url: string, options: RunningServiceOptions = {}): RunningService {
  const { verifier, live, durations, allowPrivateCallbacks, role, metrics, deadlineAfter, ...others } =
    options;
  // Without a public URL, links wait until the service listens.
  const publicUrl = 'publicUrl' in options ? options.publicUrl : 'https://verify.example';
  const logged: string[] = [];
  const log = (...event: unknown[]) => void logged.push(JSON.stringify(event));
  const parts = openParts({
    paces: PACES,
    location: { url },
    log,
    durations: { ...DEFAULT_DURATIONS, ...durations },
    allowPrivateCallbacks,
    billing: undefined,
    refundUnknown: true,
    publicUrl,
    ...{ role, metrics, deadlineAfter },
    live,
    liveVerifier: verifier && (() => verifier),
  });
  const limits = { verifyPerSecond: 1_000_000, accountPerSecond: 1_000_000, batchPerSecond: 1_000_000 };
  const app = createService({
    keys: [],
    limits,
    log,
    onAnswered: metrics?.counters.onResponse,
    onSample: metrics && ((verified) => metrics.counters.onVerified('test', 'request', verified)),
    ...others,
    whyNotReady: parts.whyNotReady,
    rooms: parts.rooms({ ...DEFAULT_LIMITS, ...limits }),
  });
  const stopRequests = makeStoppable(app);
  let stopping: Promise<void> | undefined;
  const stop = (graceMs = 0) => {
    stopping ??= stopRequests().then(() => parts.close(graceMs));
    return stopping;
  };
  onTestFinished(() => stop());
  const ask = (request: InjectOptions) => app.inject(request);
  return {
    parts,
    logged,
    ask,
    statusOf: async (path) => (await ask({ url: path })).statusCode,
    listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
    stop,
  };
}
