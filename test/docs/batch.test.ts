/**
 * The commands of docs/batch.md, each as it stands there. Only what a reader replaces is replaced: the key, the secret,
 * the ids, the folder and the ports.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished, vi } from 'vitest';
import { breakOffUpload } from '../break-off-upload.ts';
import { freePort } from '../free-port.ts';
import { unzip } from '../service/batch/download/readers.ts';
import { BLOCKS } from './blocks.ts';
import { TOTALS, untilCompleted } from './progress.ts';
import { shellCommands } from './terminal.ts';
import { openWorld } from './world.ts';

const RECEIVER = 'test-results/batch';

const commandsUnder = (heading: string) => shellCommands('docs/batch.md', heading);

it('sends, verifies and downloads a list, and gets its callback, by the steps of the page', async () => {
  const [world, start, secret, receive, send, ask, download, unpack] = commandsUnder(
    'Try it without the Internet',
  ) as [string, string, string, string, string, string, string, string];
  const opened = await openWorld(world, start);
  onTestFinished(opened.close);
  const { folder, service } = opened;
  const terminal = opened.openTerminal();

  const { callback_secret } = JSON.parse(await terminal.run(secret)) as { callback_secret: string };
  terminal.set('whsec_your_secret', callback_secret);
  const port = await freePort();
  const [{ code } = { code: '' }] = BLOCKS.filter(({ code }) => code.startsWith('// receiver.mjs'));
  // Where it finds the library.
  mkdirSync(RECEIVER, { recursive: true });
  writeFileSync(`${RECEIVER}/receiver.mjs`, code.replace('9000', String(port)));
  terminal.set('receiver.mjs', `${RECEIVER}/receiver.mjs`);
  terminal.set('http://127.0.0.1:9000/', `http://127.0.0.1:${port}/`);
  const receiver = await terminal.start(receive, /(ready)/);
  const receiverSays = async (sentAt: Date, secret: string) => {
    const signature = new Webhook(secret).sign('msg_1', sentAt, '{}');
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    };
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      ...{ method: 'POST', body: '{}' },
      headers: { ...headers, 'webhook-signature': signature },
    });
    return `${response.status} ${await response.text()}`;
  };
  await breakOffUpload(port);
  const now = new Date();
  const earlier = new Date(now.getTime() - 3_600_000);
  expect(await receiverSays(earlier, callback_secret)).toBe('400 Message timestamp too old');
  expect(await receiverSays(now, `whsec_${btoa('another secret')}`)).toBe('400 No matching signature found');

  const { id } = JSON.parse(await terminal.run(send)) as { id: string };
  terminal.set('your_batch_id', id);
  const status = await untilCompleted(() => terminal.run(ask));
  expect(status).toMatchObject({ id, total_counts: TOTALS });
  await vi.waitUntil(() => receiver.output().includes('Batch verification completed.'));

  const file = String(status.download_file);
  expect(file.startsWith(`${service.address}/download/`)).toBe(true);
  terminal.set('your_file.zip', file.split('/').at(-1)!);
  terminal.set('results.zip', `${folder}/results.zip`);
  await terminal.run(download);
  // The one program that not every system has.
  const hasUnzip = spawnSync('unzip', ['-v']).status === 0;
  const csv = hasUnzip
    ? await terminal.run(unpack)
    : (await unzip(readFileSync(`${folder}/results.zip`))).csv;
  const lines = csv.trimEnd().split('\r\n');
  expect(lines).toHaveLength(1 + 1995);
  expect(lines[0]).toMatch(/^accept_all,.*,user$/);
  expect(csv).toContain("'=1+1@free.world.test");

  const [json] = commandsUnder('Send a list') as [string];
  expect(JSON.parse(await terminal.run(json))).toMatchObject({ message: 'Batch successfully created.' });

  const [list, show, pause, resume, stop, remove, jobs] = commandsUnder('Pause, resume, stop, delete') as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  terminal.set('service.json', `${folder}/world.json`);
  // It waits for a server that says nothing.
  const waiting = await terminal.run(json.replaceAll('free.world', 'silent.world'));
  const { id: waitingId } = JSON.parse(waiting) as { id: string };
  terminal.set(id, waitingId);
  const shown = async (command: string) => JSON.parse(await terminal.run(command));
  expect(JSON.stringify(await shown(list))).toContain(waitingId);
  await shown(pause);
  expect(await terminal.run(ask)).toContain('Your batch is paused.');
  expect(JSON.stringify(await shown(show))).toContain('paused');
  await shown(resume);
  expect(await terminal.run(ask)).toContain('Your batch is being processed.');
  expect(JSON.stringify(await shown(jobs))).toContain('ddress');
  await shown(stop);
  expect(JSON.stringify(await shown(show))).toContain('stopped');
  expect(await terminal.run(ask)).toContain('Batch verification completed.');
  await shown(remove);
  expect(await terminal.run(ask)).toContain('There is no batch with this id.');
});
