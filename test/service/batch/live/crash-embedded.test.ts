/** SIGKILL for the built service and its embedded database together, in the middle of a batch. */
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { startWorld } from '../../../engine/world/world.ts';
import {
  childrenOf,
  emptyRoom,
  killAll,
  postmasterOf,
  preparedFolder,
  untilDead,
} from '../../database/embedded/running.ts';
import { silenceAll } from '../../support/process.ts';
import { startReceiver } from '../../support/receiver.ts';
import { serve, untilReady } from '../../support/service-process.ts';
import { visit } from '../../support/visit.ts';
import { createBatch, expectExact, isUnknown, ROUNDS, ROUNDS_MS, randomMoment } from './crash-rules.ts';

afterAll(emptyRoom);

const DOMAINS = Array.from({ length: 8 }, (_, number) => `d${number}.test`);

it(
  'completes exactly after kill -9 of the service and its database at a random moment',
  async () => {
    const rcpt = (recipient: string) => (isUnknown(recipient) ? '450 4.2.0 Later' : '250 2.1.5 OK');
    const world = await startWorld(Object.fromEntries(DOMAINS.map((domain) => [domain, { rcpt }])));
    onTestFinished(() => world.close());
    const receiver = await startReceiver();
    const folder = await preparedFolder();
    const perHost = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
    const start = async () => {
      const live = { ...world.live, perHost, catchAllByDefault: false };
      const config = { database: folder, live, callbacks: { allowPrivateAddresses: true } };
      const service = await serve(config, { detached: true });
      await untilReady(service.address);
      return service;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await start();
      const batch = await visit(folder, async (db) => {
        const created = await createBatch(db, DOMAINS, receiver.url);
        await randomMoment(db, created);
        return created;
      });
      const server = postmasterOf(folder);
      const all = [server, ...childrenOf(server)];
      process.kill(-first.child.pid!, 'SIGKILL');
      killAll(all);
      await first.exit;
      await untilDead(all);
      await visit(folder, silenceAll);
      const second = await start();
      await visit(folder, (db) => expectExact(db, batch, 'unavailable_smtp'));
      const own = () => receiver.received.filter(({ body }) => body.includes(batch.id));
      await vi.waitUntil(() => own().length > 0);
      expect(new Set(own().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      second.child.kill('SIGTERM');
      expect(await second.exit).toBe(0);
    }
  },
  ROUNDS_MS,
);
