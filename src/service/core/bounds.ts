/** Size and time limits for requests. Error messages quote these values. */
import type { JsonLimits } from './json.ts';

/** Enough for any address and any captcha token. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Enough for the addresses of a batch. */
export const MAX_BATCH_BODY_BYTES = 8 * 1024 * 1024;
/** The request line and all headers together. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** Browsers send about twenty. Proxies add a few. */
export const MAX_HEADERS = 100;
/** The requests on one connection whose responses are not sent yet. Browsers send one, and proxies do too. */
export const MAX_PIPELINED = 32;
/** The fields of a multipart body. */
export const MAX_FIELDS = 20;
/**
 * The pairs of a form-encoded body, and the names of a JSON body. Each costs much more memory and time than its bytes.
 * So many take a few milliseconds.
 */
export const MAX_PAIRS = 16_384;
/** The structure of a JSON body. No list of addresses has more entries: the shortest one is `"a@b.c",`. */
export const JSON_LIMITS: JsonLimits = {
  ...{ names: MAX_PAIRS, lists: MAX_PAIRS, entries: MAX_BATCH_BODY_BYTES / 8, innerEntries: MAX_PAIRS },
  depth: 32,
};

/** How much longer than its timeout a verification waits for the database, in milliseconds. */
export const GRACE_MS = 300;

/** How long the service waits for clients, in milliseconds. */
export interface Timeouts {
  /** For the head of a request, from its first byte or from the beginning of the connection. @default 10 s */
  readonly head: number;
  /** For the whole request, or for its body if it has one. @default 30 s */
  readonly request: number;
  /** For an uploaded list: a file of 100 MiB over a line of 3 Mbit/s. Also for the body of a large batch. @default 5 min */
  readonly upload: number;
  /** Between two requests: longer than proxies keep connections, so that they are the ones to close. @default 72 s */
  readonly idle: number;
  /** For a client that does not read its response. @default 60 s */
  readonly stalled: number;
  /** For a client that keeps sending after its request was refused. @default 5 s */
  readonly linger: number;
  /** For the whole download of a batch. @default 30 min */
  readonly download: number;
}

export const TIMEOUTS: Timeouts = {
  head: 10_000,
  request: 30_000,
  upload: 5 * 60_000,
  idle: 72_000,
  stalled: 60_000,
  linger: 5_000,
  download: 30 * 60_000,
};
