/** What a process counts. */
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { organisationOf } from '../../../../src/engine/providers.ts';
import { HELD_BACK } from '../../../../src/engine/verdict.ts';
import type { Verified } from '../../../../src/engine/verifier.ts';
import {
  createProcessCounters,
  type ProcessCounters,
} from '../../../../src/service/operations/metrics/process-counters.ts';
import { converse, listenService } from '../../raw.ts';
import { resultOf } from '../../support/result.ts';
import { figureOf, parseText } from './scrape.ts';

function start() {
  const registry = new Registry();
  const own = createProcessCounters(registry);
  return { own, read: async () => parseText(await registry.metrics()) };
}
const verifiedAs = (state: 'deliverable' | 'unknown', rule?: string): Verified => ({
  result: resultOf('jo@shop.example', state),
  evidence: rule === undefined ? [] : [{ atMs: 1, stage: 'verdict', text: 'x', rule }],
});

const REQUESTS = 'evw_http_request_duration_seconds';

it('puts each request into its bucket and all above it', async () => {
  const { own, read } = start();
  for (const ms of [0.4, 1, 1.5, 90, 60_000]) own.onResponse('GET', '/v1/verify', 200, ms);
  own.onResponse('POST', '/v1/verify', 429, 2);
  const samples = await read();
  const labels = { method: 'GET', route: '/v1/verify', status: '200' };
  const bucket = (le: string) => figureOf(samples, `${REQUESTS}_bucket`, { ...labels, le });
  expect(['0.001', '0.005', '0.1', '30', '+Inf'].map(bucket)).toEqual([2, 3, 4, 4, 5]);
  expect(figureOf(samples, `${REQUESTS}_count`, labels)).toBe(5);
  expect(figureOf(samples, `${REQUESTS}_sum`, labels)).toBeCloseTo(60.0929);
  expect(figureOf(samples, `${REQUESTS}_count`, { method: 'POST', status: '429' })).toBe(1);
});

it('counts results by mode, source, state and reason, and what was held back apart', async () => {
  const { own, read } = start();
  own.onVerified('live', 'batch', verifiedAs('deliverable'));
  own.onVerified('live', 'batch', verifiedAs('deliverable'));
  own.onVerified('live', 'request', verifiedAs('unknown', 'the reply'));
  own.onVerified('live', 'batch', verifiedAs('unknown', HELD_BACK));
  own.onVerified('test', 'request', verifiedAs('deliverable'));
  // A second scrape counts nothing twice.
  await read();
  const samples = await read();
  const count = (labels: Record<string, string>) => figureOf(samples, 'evw_verifications_total', labels);
  expect(count({ mode: 'live', source: 'batch', state: 'deliverable', reason: 'accepted_email' })).toBe(2);
  expect(count({ mode: 'live', source: 'request', state: 'unknown', reason: 'no_connect' })).toBe(1);
  expect(count({ mode: 'test', source: 'request' })).toBe(1);
  expect(count({ source: 'batch', state: 'unknown' })).toBeUndefined();
  expect(figureOf(samples, 'evw_verifications_held_back_total', { source: 'batch' })).toBe(1);
  // Sample results take no time.
  expect(figureOf(samples, 'evw_verification_duration_seconds_count', { source: 'request' })).toBe(1);
});

it('names providers of the table, and no other mail host', async () => {
  const { own, read } = start();
  const ask = (host: string, observation: Parameters<ProcessCounters['onAsked']>[1]) =>
    own.onAsked(organisationOf(host), observation);
  const reading = { meaning: 'no-such-mailbox', rule: '5.1.1', slowDown: false } as const;
  ask('aspmx.l.google.com', { kind: 'answered', reading, acceptsAll: null });
  for (const host of ['mx.secret.example', 'mail.hush.test', '"}\nevil 1']) ask(host, { kind: 'not-smtp' });
  const samples = await read();
  const count = (labels: Record<string, string>) => figureOf(samples, 'evw_smtp_conversations_total', labels);
  expect(count({ provider: 'google', outcome: 'no_such_mailbox' })).toBe(1);
  expect(count({ provider: 'other', outcome: 'not_smtp' })).toBe(3);
  expect(JSON.stringify(samples)).not.toMatch(/secret|hush|evil/);
});

it('counts callbacks, notices and credits from 0, so that an alert sees the first one', async () => {
  const { own, read } = start();
  const before = await read();
  expect(figureOf(before, 'evw_callback_tries_total', { outcome: 'given_up' })).toBe(0);
  expect(figureOf(before, 'evw_notice_tries_total', { outcome: 'given_up' })).toBe(0);
  expect(figureOf(before, 'evw_credits_given_back_total', { why: 'batch-refund' })).toBe(0);
  own.onCallback('given up');
  for (const outcome of ['delivered', 'delivered', 'given up'] as const) own.onNotice(outcome);
  own.onCredits(-50, 'batch');
  own.onCredits(7, 'batch-refund');
  const samples = await read();
  expect(figureOf(samples, 'evw_callback_tries_total', { outcome: 'given_up' })).toBe(1);
  expect(figureOf(samples, 'evw_notice_tries_total', { outcome: 'delivered' })).toBe(2);
  expect(figureOf(samples, 'evw_credits_taken_total', { why: 'batch' })).toBe(50);
  expect(figureOf(samples, 'evw_credits_given_back_total', { why: 'batch-refund' })).toBe(7);
});

it('makes a few series of hostile requests, and none with their text', async () => {
  const { own, read } = start();
  const { port } = await listenService({ onAnswered: own.onResponse });
  const methods = ['GET', 'POST', 'DELETE', 'PROPFIND', 'TRACE', 'UNLOCK', 'M-SEARCH', 'HUSH'];
  const targets = Array.from({ length: 60 }, (_, number) => [
    `/hush${number}`,
    `/v1/verify/hush${number}?api_key=test_private&email=hush${number}@shop.example`,
    `/v1/verify?api_key=test_hush${number}&email=hush@shop.example`,
    `/v2/hush${number}%22%0a}`,
    `/%zz/hush${number}`,
    `http://hush${number}.example/v1/batch`,
  ]).flat();
  await Promise.all(
    targets.map((target, number) => {
      const method = methods[number % methods.length];
      return converse(port, [`${method} ${target} HTTP/1.1\r\nHost: hush${number}\r\n\r\n`]).closed;
    }),
  );
  const samples = (await read()).filter(({ name }) => name === `${REQUESTS}_count`);
  expect(samples.length).toBeGreaterThan(3);
  expect(samples.length).toBeLessThan(40);
  expect(JSON.stringify(samples)).not.toMatch(/hush|example|zz|%/i);
  const expected = new Set(['GET', 'POST', 'DELETE', 'other']);
  expect(new Set(samples.map(({ labels }) => labels.method))).toEqual(expected);
});
