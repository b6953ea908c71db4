/** The commands of docs/batch.md for several processes, each as it stands there. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { adminOn } from '../cli/run-admin.ts';
import { testDatabase } from '../service/support/database.ts';
import { untilReady, writeConfig } from '../service/support/service-process.ts';
import { BLOCKS } from './blocks.ts';
import { TOTALS, untilCompleted } from './progress.ts';
import { createTerminal, shellCommands } from './terminal.ts';
import { startWorld } from './world.ts';

const commandsUnder = (heading: string) => shellCommands('docs/batch.md', heading);

it('shares a list between two processes, and completes it although one of them is killed', async () => {
  const database = await testDatabase(onTestFinished);
  const terminal = createTerminal();
  const [world] = commandsUnder('Try it without the Internet') as [string];
  const { folder } = await startWorld(terminal, world);
  const { live } = JSON.parse(readFileSync(`${folder}/world.json`, 'utf8'));
  const shown = BLOCKS.find(({ file, language }) => file === 'docs/batch.md' && language === 'json');
  const config = writeConfig({
    ...JSON.parse(shown!.code),
    database: database.url,
    live: { ...live, listsFolder: `${folder}/world-lists` },
  });
  terminal.set('service.json', config);
  const commands = commandsUnder('Several processes').map((command) => command.replace(/808\d/, '0'));
  expect(commands).toHaveLength(2);
  const [one, other] = await Promise.all(
    commands.map((command) => terminal.start(command, /listening on (.+)\n/)),
  );
  const admin = adminOn(database);
  const owner = ['--email', 'ada@example.com'];
  for (const { address } of [one!, other!]) await untilReady(address);
  await admin.done('account', 'create', ...owner, '--credits', '10000');
  const { key } = await admin.done('key', 'create', ...owner, '--kind', 'private', '--mode', 'live');
  const once = `-H 'Idempotency-Key: ${randomUUID()}'`;
  const send = `curl -sS ${once} -F api_key=${key} -F 'emails=<${folder}/addresses.txt' ${one!.address}/v1/batch`;
  // A machine that stalls may make the service answer that its database is away. A client sends it again then.
  const created = async () => (JSON.parse(await terminal.run(send)) as { id?: string }).id;
  const id = await vi.waitUntil(created, { interval: 400 });
  const ask = async (): Promise<string> =>
    (await fetch(`${other!.address}/v1/batch?id=${id}&api_key=${key}`)).text();
  // A completed batch names none: a machine that stalls may see nothing in between.
  const processed = async () =>
    Number(/"processed":(\d+)/.exec(await ask())?.[1] ?? Number.POSITIVE_INFINITY);
  await vi.waitUntil(async () => (await processed()) >= 200, { interval: 210 });
  one!.child.kill('SIGKILL');
  const { total_counts } = await untilCompleted(ask);
  expect(total_counts).toMatchObject(TOTALS);
  const account = await admin.done('account', 'show', ...owner);
  expect(account.available_credits).toBe(10_000 - 1995 + total_counts.unknown!);
  other!.child.kill('SIGTERM');
  expect(await other!.exit).toBe(0);
});
