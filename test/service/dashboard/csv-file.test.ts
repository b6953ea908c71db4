/** Files that pages send, over real sockets: a client that leaves, one that is too slow, and a file that cannot be finished. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { createSlots } from '../../../src/service/core/slots.ts';
import { type CsvFile, createCsvSender, type SendCsv } from '../../../src/service/dashboard/csv-file.ts';
import type { Visit } from '../../../src/service/dashboard/visit.ts';

const SCOPE = { log: silentLog, downloadMs: 60_000 };

async function serve(send: SendCsv, pages: () => CsvFile['pages']): Promise<FastifyInstance> {
  const app = fastify();
  app.get('/', (request, reply) => {
    const visit = { request, reply, accountId: 'acc_1' } as unknown as Visit;
    return send(visit, { name: 'file', columns: ['a'], pages: pages() });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return app;
}

async function ask(app: FastifyInstance): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const row = 'x'.repeat(100_000);

/** Never ends by itself. */
async function* endless(onEnd: () => void) {
  try {
    for (;;) yield [[row]];
  } finally {
    onEnd();
  }
}

describe('a file', () => {
  it('stops when the client leaves, and gives its slot back', async () => {
    const slots = createSlots({ atOnce: 1, ofOne: 1 });
    const ended = vi.fn();
    const app = await serve(createCsvSender(SCOPE, slots), () => endless(ended));
    const response = await ask(app);
    expect((await app.inject('/')).statusCode).toBe(503);
    response.destroy();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1));
    await vi.waitFor(() => expect(slots.take('acc_1')).toBeDefined());
  });

  it('is read no faster than the client takes it', async () => {
    let pages = 0;
    const app = await serve(createCsvSender(SCOPE), async function* () {
      for (; pages < 5_000; pages += 1) yield [[row]];
    } as () => CsvFile['pages']);
    const response = await ask(app);
    response.pause();
    // What is read stays the same for a while: the buffers of both sides are full.
    let before = -1;
    await vi.waitFor(
      () => {
        const now = pages;
        const isSteady = now === before && now > 0;
        before = now;
        expect(isSteady).toBe(true);
      },
      { interval: 200 },
    );
    expect(pages).toBeLessThan(1_000);
    response.destroy();
  });

  it.each([
    ['the client takes too long', 50, () => endless(() => {})],
    [
      'the rest cannot be read',
      60_000,
      async function* () {
        yield [['1']];
        throw new Error('The database is away.');
      },
    ],
  ] as const)('does not look whole if %s', async (_name, longestMs, pages) => {
    const app = await serve(
      createCsvSender({ ...SCOPE, downloadMs: longestMs }, createSlots({ atOnce: 1, ofOne: 1 })),
      pages as () => CsvFile['pages'],
    );
    const broken = ask(app).then(async (response) => {
      for await (const _ of response);
    });
    await expect(broken).rejects.toThrow(/aborted|reset|hang up/);
  });
});
