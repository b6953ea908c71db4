/** Callbacks of real processes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { certificate } from '../../../../src/service/demo/certificate.ts';
import { inLong } from '../../../in-long.ts';
import { rounds } from '../../../long.mjs';
import { completeWithCallback } from '../../support/callbacks.ts';
import { prepareChildren } from '../../support/children.ts';
import { testDatabase } from '../../support/database.ts';
import { startReceiver, status } from '../../support/receiver.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/webhooks/child.ts');

inLong('send each callback once, although several of them share the work', async () => {
  const start = () => children.startWorking({ DATABASE_URL: databaseUrl });
  const processes = await Promise.all(Array.from({ length: rounds(2, 4) }, start));
  const receiver = await startReceiver();
  const batches = await Promise.all(Array.from({ length: 40 }, () => completeWithCallback(db, receiver.url)));
  await Promise.all(batches.map((batch) => batch.until('delivered')));
  expect(receiver.received).toHaveLength(40);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  await Promise.all(processes.map((child) => child.kill()));
});

it('send to a receiver whose certificate is trusted', async () => {
  const { key, cert } = certificate();
  const folder = mkdtempSync(join(tmpdir(), 'evw-ca-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
  writeFileSync(NODE_EXTRA_CA_CERTS, cert);
  const receiver = await startReceiver(status(200), { key, cert });
  const batch = await completeWithCallback(db, receiver.url);
  children.start({ DATABASE_URL: databaseUrl, NODE_EXTRA_CA_CERTS });
  expect((await batch.until('delivered')).tries).toMatchObject([{ status: 200 }]);
});
