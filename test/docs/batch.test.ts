/**
 * The commands of docs/batch.md, each as it stands there. Only what a reader replaces is replaced: the key, the secret,
 * the ids, the folder and the ports.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { createTestDatabase } from '../service/support/database.ts';
import { freePath } from '../service/support/room.ts';
import { DEMO_LISTENS, writeConfig } from '../service/support/service-process.ts';
import { BLOCKS } from './blocks.ts';
import { createTerminal, freePort, shellCommands } from './terminal.ts';

vi.setConfig({ testTimeout: 120_000 });

const RECEIVER = 'test-results/batch';
const ROUND_MS = 400;

const commandsUnder = (heading: string) => shellCommands('docs/batch.md', heading);

interface Status {
  readonly download_file?: string;
  readonly total_counts: Readonly<Record<string, number>>;
}

/** Asks again and again, as somebody does who waits. The account may ask five times a second. */
async function untilCompleted(ask: () => Promise<string>): Promise<Status> {
  let status = '';
  await vi.waitUntil(
    async () => {
      status = await ask();
      return status.includes('completed');
    },
    { timeout: 60_000, interval: ROUND_MS },
  );
  return JSON.parse(status);
}

const TOTALS = { duplicate: 5, processed: 2000, total: 2000 };

it('a list is sent, verified, called back and downloaded by the steps that stand there', async () => {
  const [world, start, secret, receive, send, ask, download, unpack] = commandsUnder(
    'Try it without the Internet',
  ) as [string, string, string, string, string, string, string, string];
  const terminal = createTerminal();
  terminal.set('--data world', `--data ${freePath()}`);
  const { output } = await terminal.start(world, /config (.+world\.json)\n(.*\n)*.*Ctrl\+C/);
  const folder = /config (.+)\/world\.json/.exec(output())?.[1] ?? '';
  terminal.set('world/', `${folder}/`);
  const service = await terminal.start(`${start} --port 0`, DEMO_LISTENS);
  terminal.set('http://127.0.0.1:8080', service.address);
  terminal.set('live_your_key', /live_\w+/.exec(service.output())?.[0] ?? '');

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

  const { id } = JSON.parse(await terminal.run(send)) as { id: string };
  terminal.set('your_batch_id', id);
  const status = await untilCompleted(() => terminal.run(ask));
  expect(status).toMatchObject({ id, total_counts: TOTALS });
  await vi.waitUntil(() => receiver.output().includes('Batch verification completed.'), { timeout: 10_000 });

  const file = String(status.download_file);
  expect(file.startsWith(`${service.address}/download/`)).toBe(true);
  terminal.set('your_file.zip', file.split('/').at(-1)!);
  terminal.set('results.zip', `${folder}/results.zip`);
  await terminal.run(download);
  // The one program that not every system has.
  const hasUnzip = spawnSync('unzip', ['-v']).status === 0;
  const csv = hasUnzip
    ? await terminal.run(unpack)
    : await terminal.run(unpack.replace('unzip -p', 'node test/docs/unzip.mjs'));
  const lines = csv.trimEnd().split('\r\n');
  expect(lines).toHaveLength(1 + 1995);
  expect(lines[0]).toMatch(/^accept_all,.*,user$/);
  expect(csv).toContain("'=1+1@free.world.test");

  const [json] = commandsUnder('Send a list') as [string];
  expect(JSON.parse(await terminal.run(json))).toMatchObject({ message: 'Batch successfully created.' });

  const [list, show, pause, resume, remove, jobs] = commandsUnder('Pause, resume, delete') as [
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
  await shown(remove);
  expect(await terminal.run(ask)).toContain('There is no batch with this id.');
});

it('two processes share a list, and it is whole although one of them is killed', async () => {
  const database = await createTestDatabase();
  const terminal = createTerminal();
  const [world] = commandsUnder('Try it without the Internet') as [string];
  terminal.set('--data world', `--data ${freePath()}`);
  const { output } = await terminal.start(world, /config (.+world\.json)\n(.*\n)*.*Ctrl\+C/);
  const path = /config (.+world\.json)/.exec(output())?.[1] ?? '';
  const { live } = JSON.parse(readFileSync(path, 'utf8'));
  const shown = BLOCKS.find(({ file, language }) => file === 'docs/batch.md' && language === 'json');
  const config = writeConfig({
    ...JSON.parse(shown!.code),
    database: database.url,
    live: { ...live, listsFolder: path.replace('world.json', 'world-lists') },
  });
  terminal.set('service.json', config);
  const commands = commandsUnder('Several processes').map((command) => command.replace(/808\d/, '0'));
  expect(commands).toHaveLength(2);
  const [one, other] = await Promise.all(
    commands.map((command) => terminal.start(command, /listening on (.+)\n/)),
  );
  const admin = async (words: string) =>
    JSON.parse(await terminal.run(`npm run --silent admin -- --config service.json ${words}`));
  await vi.waitUntil(async () => (await fetch(`${other!.address}/readyz`)).status === 200, {
    timeout: 40_000,
  });
  await admin('account create --email ada@example.com --credits 10000');
  const { key } = await admin('key create --email ada@example.com --kind private --mode live');
  const list = path.replace('world.json', 'addresses.txt');
  const send = `curl -sS -F api_key=${key} -F 'emails=<${list}' ${one!.address}/v1/batch`;
  const { id } = JSON.parse(await terminal.run(send)) as { id: string };
  const ask = async (): Promise<string> =>
    (await fetch(`${other!.address}/v1/batch?id=${id}&api_key=${key}`)).text();
  const processed = async () => Number(/"processed":(\d+)/.exec(await ask())?.[1]);
  await vi.waitUntil(async () => (await processed()) >= 200, { timeout: 30_000, interval: 210 });
  one!.child.kill('SIGKILL');
  const { total_counts } = await untilCompleted(ask);
  expect(total_counts).toMatchObject(TOTALS);
  const account = await admin('account show --email ada@example.com');
  expect(account.available_credits).toBe(10_000 - 1995 + total_counts.unknown!);
  other!.child.kill('SIGTERM');
  expect(await other!.exit).toBe(0);
  await database.drop();
});
