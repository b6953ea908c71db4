/** The notice of low credits in docs/dashboard.md, and the receiver that prints one. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { NOTICE } from '../../src/service/notices/notice-documentation.ts';
import { breakOffUpload } from '../break-off-upload.ts';
import { freePort } from '../free-port.ts';
import { CALLBACK_SECRET } from '../service/support/account.ts';
import { testDatabase } from '../service/support/database.ts';
import { makeTold, sendNotices, untilNotice } from '../service/support/low.ts';
import { BLOCKS } from './blocks.ts';

const { db } = await testDatabase();
// Where it finds the library.
const FOLDER = 'test-results/notice';

it('shows the example of the API reference', () => {
  const { code } = BLOCKS.find(({ file, language }) => file === 'docs/dashboard.md' && language === 'text')!;
  expect(JSON.parse(code)).toEqual(NOTICE.post.requestBody.content['application/json'].example);
});

it('takes a notice whose signature is right, and prints it', async () => {
  const port = await freePort();
  const { code } = BLOCKS.find(({ code }) => code.startsWith('// low.mjs'))!;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/low.mjs`, code.replace('9000', String(port)));
  const receiver = spawn(process.execPath, [`${FOLDER}/low.mjs`, CALLBACK_SECRET]);
  onTestFinished(() => void receiver.kill());
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  await breakOffUpload(port);
  const url = `http://127.0.0.1:${port}/`;
  expect((await fetch(url, { method: 'POST', body: '{"type":"credits.low"}' })).status).toBe(400);
  const id = await makeTold(db, url);
  await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  expect((await lines.next()).value).toBe(`${id}@example.com has 20 credits left.`);
});
