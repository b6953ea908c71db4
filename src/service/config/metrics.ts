/** The section `metrics`: where Prometheus can read figures. Without it there are none. */
import { Type } from '@sinclair/typebox';
import { wholeNumber } from './parts.ts';

export const MetricsSchema = Type.Object(
  {
    /** 0 takes a free one, which the log names. */
    port: wholeNumber(0, 65_535),
    /** @default "127.0.0.1" */
    host: Type.Optional(Type.String({ minLength: 1, expected: 'a host name or an IP address' })),
  },
  { additionalProperties: false, expected: 'an object with port' },
);

/** The section with every default filled in. */
export interface MetricsPlace {
  readonly host: string;
  readonly port: number;
}

export const DEFAULT_METRICS_HOST = '127.0.0.1';
