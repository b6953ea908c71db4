/** Measures how long one request can keep the service from all others. */
import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { InjectOptions } from 'fastify';
import { MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../../src/service/core/bounds.ts';
import { largestAddresses, largestBodies, largestHeads } from '../../test/service/largest-requests.ts';
import { type Figure, round } from '../report.ts';
import type { Server } from './server.ts';

const LONGEST_MS = 40;
/** The first tries compile code. */
const TRIES = 15;
const SHOWN = 5;

/** @param service it has the keys of `largest-requests.ts` */
export async function measureLargest(service: Server, isQuick: boolean): Promise<Figure> {
  const requests = [
    ...largestAddresses(MAX_BODY_BYTES),
    ...largestBodies(MAX_BODY_BYTES),
    ...largestHeads(MAX_HEAD_BYTES),
  ];
  const found: { what: string; ms: number }[] = [];
  for (const [what, request] of requests) {
    let ms = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < (isQuick ? 2 : TRIES); tries += 1) {
      const before = await service.processor();
      await ask(service, request);
      ms = Math.min(ms, ((await service.processor()) - before) / 1000);
    }
    found.push({ what, ms });
  }
  const dearest = found.sort((a, b) => b.ms - a.ms).slice(0, SHOWN);
  const [{ what, ms }] = dearest as [(typeof dearest)[number]];
  return {
    title: 'Processor time of the dearest requests',
    how: `${requests.length} requests are as large as the service accepts them, and made to take long. The service has a thousand public keys. The figure is the least of ${TRIES} tries, in user and system mode. These are the ${SHOWN} dearest.`,
    head: ['', 'processor time'],
    rows: dearest.map((each) => [each.what, `${round(each.ms)} ms`]),
    targets: [
      {
        text: `at most ${LONGEST_MS} ms`,
        found: `${round(ms)} ms`,
        isMet: ms <= LONGEST_MS,
        because: `a request with ${what} takes longer`,
      },
    ],
  };
}

async function ask(
  { origin }: Server,
  { url, method = 'GET', headers, payload }: InjectOptions,
): Promise<void> {
  await new Promise<void>((done, failed) => {
    const request = send(
      `${origin}${url}`,
      { method, headers: headers as Record<string, string> },
      (response) => text(response).then(() => done(), failed),
    );
    request.on('error', failed);
    request.end(payload as string | undefined);
  });
}
