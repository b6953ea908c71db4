/** All figures of a process, in the text form of Prometheus. */
import { Registry } from 'prom-client';
import type { Role } from '../../config/sections/role-section.ts';
import { createOwnFigures, type OwnFigures } from './own-figures.ts';
import { createProcessFigures, type ProcessState } from './process-figures.ts';
import { createSharedFigures, type SharedOptions, type SharedSource } from './shared-figures.ts';

export interface Metrics {
  /** The parts of the process report to these. */
  readonly own: OwnFigures;
  /** Sets the sources of a scrape. Call it once the process is assembled. */
  watch(state: ProcessState, shared?: SharedSource): void;
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
  const own = createOwnFigures(registry);
  const shared = createSharedFigures(registry, options);
  const process = createProcessFigures(registry, role, version);
  let state: ProcessState | undefined;
  let source: SharedSource | undefined;
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    await shared.refresh(source);
    process.read(state);
    return registry.metrics();
  }

  return {
    own,
    watch(itsState, itsSource) {
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
