/** A service with everything that a process opens: its own pool, heartbeat and housekeeping. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { type OpenedDeps, type OpenOptions, openDeps } from '../../../src/service/app/open-deps.ts';
import { makeStoppable } from '../../../src/service/app/stop.ts';
import { createService, type ServiceOptions } from '../../../src/service/app/web.ts';
import { type Changes, settingsWith } from './deps.ts';
import { MANY } from './stored-service.ts';

export interface RunningService {
  readonly opened: OpenedDeps;
  readonly logged: string[];
  ask(options: InjectOptions): Promise<LightMyRequestResponse>;
  statusOf(url: string): Promise<number>;
  /** @returns the URL */
  listen(): Promise<string>;
  /** Stops everything in the same order as the process. @param graceMs how long running work may take @default 0 */
  stop(graceMs?: number): Promise<void>;
}

export interface RunningServiceOptions
  extends Partial<Omit<ServiceOptions, 'deps' | 'settings'>>,
    Pick<OpenOptions, 'metrics' | 'deadlineAfter'>,
    Pick<Changes, 'limits' | 'durations' | 'callbacks' | 'live' | 'role' | 'billing'> {
  readonly verifier?: Verifier;
  readonly publicUrl?: string | undefined;
}

/** The jobs run often, so that no test waits for them. */
const PACES = {
  ...{ heartbeat: 1_000, housekeeping: 500 },
  ...{ samples: 100, batches: 100, callbacks: 100, payments: 100 },
};

/** Returns at once. The service ends with the test. */
export function runService(url: string, options: RunningServiceOptions = {}): RunningService {
  const { verifier, limits = MANY, durations, callbacks, live, role = 'all', ...more } = options;
  const { billing, metrics, deadlineAfter, publicUrl: _, ...others } = more;
  // Without a public URL, links wait until the service listens.
  const publicUrl = 'publicUrl' in options ? options.publicUrl : 'https://verify.example';
  const logged: string[] = [];
  const log = (...event: unknown[]) => void logged.push(JSON.stringify(event));
  const settings = {
    ...settingsWith({ limits, durations, callbacks, live, role, publicUrl, billing }),
    database: { url },
    // Without a verifier, live keys get a 503.
    ...(!live && !verifier && { live: undefined }),
  };
  const opened = openDeps({
    ...{ settings, log, metrics, deadlineAfter },
    paces: PACES,
    liveVerifier: verifier,
  });
  const app = createService({
    ...{ keys: [], log, onAnswered: metrics?.counters.onResponse },
    onSample: metrics && ((verified) => metrics.counters.onVerified('test', 'request', verified)),
    ...others,
    ...{ settings, deps: opened.deps, whyNotReady: opened.whyNotReady },
  });
  const stopRequests = makeStoppable(app);
  let stopping: Promise<void> | undefined;
  const stop = (graceMs = 0) => {
    stopping ??= stopRequests().then(() => opened.close(graceMs));
    return stopping;
  };
  onTestFinished(() => stop());
  return {
    ...{ opened, logged, stop },
    ask: (request) => app.inject(request),
    statusOf: async (path) => (await app.inject({ url: path })).statusCode,
    listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
  };
}
