/**
 * The commands of docs/start.md, each as it stands there. Only what a reader replaces is replaced: the key, the id, the
 * folder and the port.
 */
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePath } from '../service/support/room.ts';
import { DEMO_LISTENS } from '../service/support/service-process.ts';
import { createTerminal, shellCommands } from './terminal.ts';
import { openWorld } from './world.ts';

const commandsUnder = (heading: string) => shellCommands('docs/start.md', heading);

it('verifies an address and a list with the test key by the steps of the page', async () => {
  const [install] = commandsUnder('Start') as [string];
  const [verify, send, ask] = commandsUnder('Call the API') as [string, string, string];
  const terminal = createTerminal();
  const start = install.replace('npm ci && ', '');
  const { address } = await terminal.start(`${start} -- --port 0 --data ${freePath()}`, DEMO_LISTENS);
  terminal.set('http://127.0.0.1:8080', address);

  const result = JSON.parse(await terminal.run(verify));
  expect(result).toMatchObject({ state: 'deliverable', reason: 'accepted_email' });

  const { id } = JSON.parse(await terminal.run(send)) as { id: string };
  terminal.set('your_batch_id', id);
  const { emails } = JSON.parse(await terminal.run(ask)) as { emails: { email: string }[] };
  expect(emails.map(({ email }) => email)).toEqual(['ada@example.org', 'bo@example.org']);
});

it('lets an operator verify for real, and make an account and keys, by the steps of the page', async () => {
  const [world, start, verify, doctor, check, account, publicKey, privateKey, service] = commandsUnder(
    'Run the service',
  ) as [string, string, string, string, string, string, string, string, string];
  const opened = await openWorld(world, start);
  onTestFinished(opened.close);
  const terminal = opened.openTerminal();
  const [warning] = await vi.waitUntil(() => /^.*"event":"doctor".*$/m.exec(opened.service.errors()));
  expect(JSON.parse(warning)).toMatchObject({
    level: 'warn',
    advice: expect.stringContaining('This is expected without the Internet'),
  });
  expect(readFileSync('docs/start.md', 'utf8')).toContain(
    'it warns about problems (`doctor`), because the name servers on your machine know only a few names. Here they are expected:',
  );
  expect(JSON.parse(await terminal.run(verify))).toMatchObject({ state: 'deliverable' });

  // The world stands for the Internet, and the demo's database for the operator's.
  terminal.set('service.json', `${opened.folder}/world.json`);
  terminal.set('check -- you@example.com', 'check -- ada@free.world.test');
  expect(JSON.parse(await terminal.run(doctor))).toHaveProperty('findings');
  expect(await terminal.run(check)).toContain('deliverable');
  expect(JSON.parse(await terminal.run(account))).toMatchObject({ available_credits: 1000 });
  expect(JSON.parse(await terminal.run(publicKey))).toMatchObject({ kind: 'public', mode: 'live' });
  expect(JSON.parse(await terminal.run(privateKey))).toMatchObject({ kind: 'private', mode: 'live' });
  expect(service).toBe('npm run --silent service -- --config service.json');
});
