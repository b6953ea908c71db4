/** The package brings no types of its own. */
declare module 'autocannon' {
  export interface Client {
    setHeaders(headers: Readonly<Record<string, string>>): void;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** In seconds; either that or `amount`. */
    readonly duration?: number;
    /** Requests. */
    readonly amount?: number;
    /** Requests per second of all connections together, at most. */
    readonly overallRate?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** Puts another identifier in the place of each `[<id>]`. */
    readonly idReplacement?: boolean;
    /** Gets each connection before it sends its first request. */
    readonly setupClient?: (client: Client) => void;
  }
  interface Result {
    readonly requests: { readonly average: number; readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    /** In seconds, as it was in the end. */
    readonly duration: number;
    readonly errors: number;
    readonly non2xx: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
