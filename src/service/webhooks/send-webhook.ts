/** Sends one try of a webhook: one request, without redirects, with limits of time and bytes. */
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { useAgent } from 'request-filtering-agent';
import type { CallbackRules } from '../config/sections/callbacks-section.ts';
import {
  CLOSED,
  CUT_OFF,
  explainError,
  explainStatus,
  REFUSED_ADDRESS,
  REFUSED_PORT,
  TooLateError,
  TooLongError,
} from './explain-webhook.ts';
import { createGuardedLookup } from './guarded-lookup.ts';
import { callableIps, isCallableHost, isRefusedPort } from './receiver-url.ts';
import type { EndedTry } from './webhook-store.ts';

/** For the connection, TLS, the request and the headers of the response together. */
const PATIENCE_MS = 30_000;
/** How long the body of a response is read. The service does not use it, but lets the receiver send it. */
const DRAIN_MS = 1_000;
const MOST_BYTES = 64 * 1024;
/** How long to try one of several IP addresses. Node's 250 ms are too short for distant receivers. */
const CONNECT_MS = 5_000;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  readonly patienceMs?: number | undefined;
  /** Finds the IP addresses of host names. @default `createGuardedLookup()`, or the system's if it may find any */
  readonly lookup?: LookupFunction | undefined;
}

export type WebhookResponse = Pick<EndedTry, 'status' | 'error' | 'isCutOff'>;

/** Neither promise rejects. */
export interface Sent {
  /** Resolves with the headers of the response. The body does not matter. */
  readonly answer: Promise<WebhookResponse>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** The result of a try that was not sent. */
export function failed(error: string): Sent {
  return { answer: Promise.resolve({ status: null, error, isCutOff: false }), closed: Promise.resolve() };
}

/** @param signal ends all tries @returns a function that sends messages */
export function createSend(
  rules: CallbackRules,
  signal: AbortSignal,
  options: SendOptions = {},
): (message: Message) => Sent {
  const { allowPrivateAddresses, refusedNetworks } = rules;
  const { patienceMs = PATIENCE_MS } = options;
  const isUnguarded = allowPrivateAddresses && refusedNetworks.length === 0;
  const lookup = options.lookup ?? (isUnguarded ? undefined : createGuardedLookup(callableIps(rules)));
  const agentOptions = {
    keepAlive: false,
    autoSelectFamilyAttemptTimeout: CONNECT_MS,
    allowPrivateIPAddress: allowPrivateAddresses,
    allowMetaIPAddress: allowPrivateAddresses,
    ...(lookup && { lookup }),
  };
  // Each running request adds a listener.
  setMaxListeners(0, signal);

  return ({ url, headers, body }) => {
    const target = new URL(url);
    // The URL may be older than the rules. Connections to IP addresses need no lookup.
    if (isRefusedPort(target)) return failed(REFUSED_PORT);
    if (!isCallableHost(target.hostname, rules)) return failed(REFUSED_ADDRESS);
    const { request } = target.protocol === 'https:' ? https : http;
    const outgoing = request(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // The agent checks the IP address that it connects to, so the name cannot change after the check.
      agent: useAgent(url, agentOptions),
      signal,
    });
    let socket: Socket | undefined;
    let timer = setTimeout(() => outgoing.destroy(new TooLateError()), patienceMs);
    const answer = new Promise<WebhookResponse>((resolve) => {
      outgoing.on('response', (response) => {
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, error: explainStatus(statusCode), isCutOff: false });
        clearTimeout(timer);
        timer = setTimeout(() => socket?.destroy(), DRAIN_MS);
        drain(response);
      });
      // Responses such as 103 may come before the response, and Node does not count them.
      outgoing.on('information', () => {
        if (socket && socket.bytesRead > MOST_BYTES) outgoing.destroy(new TooLongError());
      });
      outgoing.on('error', (error) => {
        const isCutOff = signal.aborted;
        resolve({ status: null, error: isCutOff ? CUT_OFF : explainError(error, patienceMs), isCutOff });
      });
      // Node reports no error for a status of 101.
      outgoing.on('close', () => resolve({ status: null, error: CLOSED, isCutOff: false }));
    });
    outgoing.on('socket', (used) => {
      socket = used;
    });
    const closed = new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      // The request can end while the socket still sends unread data.
      outgoing.on('close', () => (socket && !socket.destroyed ? socket.on('close', end) : end()));
    });
    outgoing.end(body);
    return { answer, closed };
  };
}

/** Reads the start of the body, and then closes the connection. */
function drain(response: http.IncomingMessage): void {
  let bytes = 0;
  // The receiver may cut the connection. Its status is already known.
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) response.destroy();
  });
}
