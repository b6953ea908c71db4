/** Callbacks of real processes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { completeWithCallback } from '../../support/callbacks.ts';
import { prepareChildren } from '../../support/children.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startReceiver, status } from '../../support/receiver.ts';

const database = await createTestDatabase();
const { db } = database;
const children = await prepareChildren(resolve('test/service/batch/callbacks/child.ts'));
afterAll(async () => {
  await children.remove();
  await database.drop();
});

it('send each callback once, although four of them share the work', async () => {
  const processes = [1, 2, 3, 4].map(() => children.start({ DATABASE_URL: database.url }));
  await Promise.all(processes.map((child) => child.next<string>()));
  const receiver = await startReceiver();
  const batches = await Promise.all(Array.from({ length: 40 }, () => completeWithCallback(db, receiver.url)));
  await Promise.all(batches.map((batch) => batch.until('delivered', 20_000)));
  expect(receiver.received).toHaveLength(40);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  await Promise.all(processes.map((child) => child.kill()));
}, 60_000);

it('send to a receiver whose certificate is trusted', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'receiver' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const folder = mkdtempSync(join(tmpdir(), 'evw-ca-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
  writeFileSync(NODE_EXTRA_CA_CERTS, cert);
  const receiver = await startReceiver(status(200), { key, cert });
  const batch = await completeWithCallback(db, receiver.url);
  children.start({ DATABASE_URL: database.url, NODE_EXTRA_CA_CERTS });
  expect((await batch.until('delivered', 20_000)).tries).toMatchObject([{ status: 200 }]);
}, 60_000);
