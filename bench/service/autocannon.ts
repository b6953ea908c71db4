/** autocannon, which puts a server under load. The package has no types. */
import { loadTool } from '../../.ci/tools/tools.mjs';

export interface Client {
  setHeaders(headers: Readonly<Record<string, string>>): void;
}

interface Options {
  readonly url: string;
  readonly connections: number;
  /** The duration in seconds, instead of `amount`. */
  readonly duration?: number;
  /** The number of requests. */
  readonly amount?: number;
  /** Requests per second of all connections together, at most. */
  readonly overallRate?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces each `[<id>]` by a different identifier. */
  readonly idReplacement?: boolean;
  /** Called with each connection before its first request. */
  readonly setupClient?: (client: Client) => void;
}

interface Result {
  readonly requests: { readonly average: number; readonly total: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  /** The actual duration in seconds. */
  readonly duration: number;
  readonly errors: number;
  readonly non2xx: number;
}

export const autocannon: (options: Options) => Promise<Result> = loadTool('autocannon');
