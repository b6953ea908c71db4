/** A service without a port, on a clock that only tests turn, and the shortest way to ask it something. */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { onTestFinished, vi } from 'vitest';
import { createService } from '../../src/service/app/web.ts';
import type { KeyEntry } from '../../src/service/config/sections/keys-section.ts';
import { type ServiceChanges, withSettings } from './support/deps.ts';

export const SHOP = 'https://shop.example';
export const EVIL = 'https://shop.example.evil.test';

export const KEYS: readonly KeyEntry[] = [
  { key: 'test_public', kind: 'public', trustedDomains: ['shop.example', 'localhost', '127.0.0.1'] },
  { key: 'test_other', kind: 'public', trustedDomains: ['other.example'] },
  { key: 'test_private', kind: 'private' },
  { key: 'test_office', kind: 'private', trustedIps: ['192.0.2.1', '2001:db8::1', '10.0.0.0/8'] },
  { key: 'live_public', kind: 'public', trustedDomains: ['shop.example'] },
  { key: 'live_private', kind: 'private' },
];

/** What a verifier returns when its time is over. */
export const UNFINISHED = { result: undefined, later: undefined };

export interface ServiceUnderTest {
  readonly app: FastifyInstance;
  /** Milliseconds since 1970; set it to turn the clock, which stands still otherwise. */
  now: number;
  readonly logged: string[];
  /** Asks with the private test key. */
  verify(parameters: Record<string, string>): Promise<LightMyRequestResponse>;
  /** Asks from a page. */
  fromPage(
    parameters: Record<string, string>,
    page?: { origin?: string; key?: string; ip?: string },
  ): Promise<LightMyRequestResponse>;
  ask(options: InjectOptions): Promise<LightMyRequestResponse>;
}

/** Noon, so that a day has an end both ways. */
const NOON = Date.UTC(2026, 0, 15, 12);

export function startService(options: ServiceChanges = {}): ServiceUnderTest {
  const logged: string[] = [];
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOON });
  onTestFinished(() => void vi.useRealTimers());
  const service: ServiceUnderTest = {
    get now() {
      return Date.now();
    },
    set now(time) {
      vi.setSystemTime(time);
    },
    logged,
    app: createService({
      keys: KEYS,
      log: (...event) => logged.push(JSON.stringify(event)),
      fetch: () => Promise.reject(new Error('no test expects a request to leave')),
      ...withSettings({ limits: { verifyPerSecond: 1_000_000 }, ...options }),
    }),
    ask: (request) => service.app.inject(request),
    verify: (parameters) =>
      service.ask({ url: `/v1/verify?${new URLSearchParams({ api_key: 'test_private', ...parameters })}` }),
    fromPage: (parameters, { origin = SHOP, key = 'test_public', ip = '198.51.100.7' } = {}) =>
      service.ask({
        url: `/v1/verify?${new URLSearchParams({ api_key: key, ...parameters })}`,
        headers: { origin },
        remoteAddress: ip,
      }),
  };
  onTestFinished(() => service.app.close());
  return service;
}

/** The status and message of an answer that is a failure. */
export function failureOf(answer: LightMyRequestResponse): [number, string] {
  return [answer.statusCode, answer.json<{ message: string }>().message];
}

export const FORM = 'application/x-www-form-urlencoded';

/** A multipart body with plain fields. */
export function multipart(fields: readonly (readonly [string, string])[]): { payload: string; type: string } {
  const head = '--edge\r\nContent-Disposition: form-data; name=';
  const parts = fields.map(([name, value]) => `${head}"${name}"\r\n\r\n${value}\r\n`);
  return { payload: `${parts.join('')}--edge--\r\n`, type: 'multipart/form-data; boundary=edge' };
}
