/** All metrics of a process, in the text form of Prometheus. */
import { Registry } from 'prom-client';
import type { Role } from '../../config/sections/role-section.ts';
import { createProcessCounters, type ProcessCounters } from './process-counters.ts';
import { createProcessGauges, type ProcessState } from './process-gauges.ts';
import { createSharedMetrics, type SharedOptions, type SharedSource } from './shared-metrics.ts';

export interface Metrics {
  /** The parts of the process report to these. */
  readonly counters: ProcessCounters;
  /** What a scrape reads. Call it once the process is assembled. */
  setSources(state: ProcessState, shared?: SharedSource): void;
  /** Simultaneous scrapes share one read. */
  read(): Promise<string>;
  readonly contentType: string;
  /** Every figure, in the order of the text. */
  describe(): readonly Described[];
}

/** A figure as the documentation lists it. */
export interface Described {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface MetricsOptions extends SharedOptions {
  readonly role: Role;
  readonly version: string;
}

export function createMetrics({ role, version, ...options }: MetricsOptions): Metrics {
  const registry = new Registry();
  const counters = createProcessCounters(registry);
  const shared = createSharedMetrics(registry, options);
  const process = createProcessGauges(registry, role, version);
  let state: ProcessState | undefined;
  let source: SharedSource | undefined;
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    await shared.refresh(source);
    process.read(state);
    return registry.metrics();
  }

  return {
    counters,
    setSources(itsState, itsSource) {
      state = itsState;
      source = itsSource;
    },
    read() {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    contentType: registry.contentType,
    describe: () =>
      registry.getMetricsAsArray().map((metric) => {
        const { name, help, labelNames } = metric as unknown as {
          name: string;
          help: string;
          labelNames: string[];
        };
        return { name, help, labels: labelNames };
      }),
  };
}
