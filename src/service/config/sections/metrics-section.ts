/** The section `metrics`: where Prometheus reads metrics. Without it, the service has none. */
import type { Static } from '@sinclair/typebox';
import { optionalText, section, wholeNumber } from './shared-schemas.ts';

export const DEFAULT_METRICS_HOST = '127.0.0.1';

export const MetricsSchema = section(
  {
    port: wholeNumber(0, 65_535, {
      description: 'The port of the metrics. With 0, the system chooses a port, which the log names.',
    }),
    host: optionalText(
      'a host name or an IP address',
      'The host name or IP address that this port listens on.',
      { minLength: 1, default: DEFAULT_METRICS_HOST },
    ),
  },
  {
    title: 'Metrics',
    description: 'Without `metrics.port`, there are no metrics. See [Metrics](operations.md#metrics).',
    expected: 'an object with port',
  },
);

/** The section with all defaults. */
export type MetricsPlace = Readonly<Required<Static<typeof MetricsSchema>>>;
