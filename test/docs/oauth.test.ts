/**
 * The commands and scripts of docs/oauth.md, each as it stands there. Only what a reader replaces is replaced: ids,
 * secrets, tokens, the folder and the ports. A person at a browser without scripts decides.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_DURATIONS } from '../../src/service/config/sections/durations-section.ts';
import { metadataOf } from '../../src/service/oauth/oauth-metadata.ts';
import { freePort } from '../free-port.ts';
import { writeConfig } from '../service/support/service-process.ts';
import { BLOCKS } from './blocks.ts';
import { visitorAt } from './person.ts';
import { shellCommands, type Terminal } from './terminal.ts';
import { type OpenWorld, openWorld } from './world.ts';

const PAGE = 'docs/oauth.md';
/** Where the scripts find openid-client. */
const FOLDER = 'test-results/oauth';

const commandsUnder = (heading: string) => shellCommands(PAGE, heading);
const SCRIPTS = BLOCKS.filter(({ file, language }) => file === PAGE && language === 'js');
const scriptOf = (name: string) => SCRIPTS.find(({ code }) => code.startsWith(`// ${name}:`))!.code;

interface App {
  readonly client_id: string;
  readonly client_secret?: string;
}

const [world = '', start = '', createApp = '', codeFlow = '', createTool = '', deviceFlow = ''] =
  commandsUnder('Try it on your own machine');

let opened: OpenWorld;
let address: string;
let terminal: Terminal;
let person: { readonly email: string };
let password: string;
beforeAll(async () => {
  // The script of the device flow waits that long.
  opened = await openWorld(world, start, { EVW_DURATIONS_DEVICE_INTERVAL: '1' });
  ({ address } = opened.service);
  const [, email = '', printed = ''] = /Account +(\S+), password (\S+)/.exec(opened.service.output()) ?? [];
  person = { email };
  password = printed;
});
beforeEach(async () => {
  terminal = opened.openTerminal();
  const callback = `127.0.0.1:${await freePort()}`;
  terminal.set('127.0.0.1:3000', callback);
  saveScripts(callback.split(':')[1]!);
});
afterAll(() => opened.close());

const account = (token: string) =>
  fetch(`${address}/v1/account`, { headers: { Authorization: `Bearer ${token}` } });

/** Saves the scripts of the page. */
function saveScripts(port: string): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const { code } of SCRIPTS) {
    const [, name = ''] = /^\/\/ ([\w-]+\.mjs):/.exec(code) ?? [];
    const placed = code.replaceAll("'tokens.", `'${FOLDER}/tokens.`).replaceAll('3000', port);
    writeFileSync(`${FOLDER}/${name}`, placed);
    terminal.set(name, `${FOLDER}/${name}`);
  }
}

const storedTokens = (): { access_token: string; refresh_token: string } =>
  JSON.parse(readFileSync(`${FOLDER}/tokens.json`, 'utf8'));

it('gets, refreshes and revokes tokens by the code flow, by the steps of the page', async () => {
  const app: App = JSON.parse(await terminal.run(createApp));
  terminal.set('your_client_id', app.client_id);
  terminal.set('your_client_secret', app.client_secret!);
  const script = await terminal.start(codeFlow, /(http\S+\/oauth\/authorize\?\S+)\n/);

  const visitor = visitorAt(address);
  await visitor.open(script.address);
  expect(visitor.text).toContain('Newsletter');
  await visitor.signIn(person, password);
  await (await visitor.follow()).press('Allow');
  expect(visitor.status).toBe(303);
  const returned = await fetch(visitor.location!);
  expect(await returned.text()).toBe('Go back to the terminal.');
  expect(await script.exit, script.errors()).toBe(0);
  expect(script.output()).toContain("owner_email: 'demo@example.com'");
  expect(script.output()).toContain("state: 'deliverable'");

  const first = storedTokens();
  const [refresh] = commandsUnder('Refresh the tokens') as [string];
  expect(await terminal.run(refresh)).toContain("owner_email: 'demo@example.com'");
  const second = storedTokens();
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await account(first.access_token)).status).toBe(403);
  const ofSecond = await account(second.access_token);
  expect(await ofSecond.json()).toMatchObject({ owner_email: person.email });

  await visitor.open('/dashboard/apps');
  expect(visitor.text).toContain('Newsletter');

  terminal.set('your_access_token', second.access_token);
  const [revoke] = commandsUnder('Revoke the tokens') as [string];
  expect(await terminal.run(revoke)).toBe('{}');
  expect((await account(second.access_token)).status).toBe(403);
  await expect(terminal.run(refresh)).rejects.toThrow('invalid_grant');
});

it('ends the script of the code flow with the error when the person denies', async () => {
  const app: App = JSON.parse(await terminal.run(createApp));
  terminal.set('your_client_id', app.client_id);
  terminal.set('your_client_secret', app.client_secret!);
  const script = await terminal.start(codeFlow, /(http\S+\/oauth\/authorize\?\S+)\n/);
  const visitor = await visitorAt(address).open(script.address);
  await visitor.signIn(person, password);
  await (await visitor.follow()).press('Deny');
  await fetch(visitor.location!);
  expect(await script.exit).toBe(1);
  expect(script.errors()).toContain("error: 'access_denied'");
});

it('gets and refreshes tokens by the device flow, and ends the grant when a used token comes again', async () => {
  const app: App = JSON.parse(await terminal.run(createTool));
  expect(app).not.toHaveProperty('client_secret');
  terminal.set('your_client_id', app.client_id);
  const script = await terminal.start(deviceFlow, /Open (\S+) and compare/);

  const visitor = await visitorAt(address).open(script.address);
  await visitor.signIn(person, password);
  await (await visitor.follow()).press('Continue');
  expect(visitor.text).toContain(/code: (\S+)/.exec(script.output())?.[1]);
  await visitor.press('Allow');
  expect(visitor.text).toContain('The device is connected');
  expect(await script.exit, script.errors()).toBe(0);
  expect(script.output()).toContain("owner_email: 'demo@example.com'");

  // A public app leaves the secret out.
  terminal.set(' your_client_secret', '');
  const [refresh] = commandsUnder('Refresh the tokens') as [string];
  const before = readFileSync(`${FOLDER}/tokens.json`);
  await terminal.run(refresh);
  const { access_token } = storedTokens();
  expect((await account(access_token)).status).toBe(200);
  writeFileSync(`${FOLDER}/tokens.json`, before);
  await expect(terminal.run(refresh)).rejects.toThrow('invalid_grant');
  expect((await account(access_token)).status).toBe(403);
});

it('makes, lists and deletes an app by the commands of the page', async () => {
  const { code = '' } = BLOCKS.find(({ file, language }) => file === PAGE && language === 'json') ?? {};
  terminal.set('service.json', writeConfig(JSON.parse(code)));
  await terminal.run(
    'npm run --silent admin -- --config service.json account create --email ada@example.com',
  );
  const [create, list, remove] = commandsUnder('Create an app') as [string, string, string];
  const { client_id }: App = JSON.parse(await terminal.run(create));
  expect(JSON.parse(await terminal.run(list))).toMatchObject([
    { client_id, name: 'Newsletter', redirect_uris: ['https://app.example/callback'] },
  ]);
  terminal.set('your_client_id', client_id);
  expect(JSON.parse(await terminal.run(remove))).toEqual({ client_id, deleted: true });
});

it('keeps the scripts short', () => {
  const linesOf = (name: string) => scriptOf(name).split('\n').filter(Boolean).length;
  expect(linesOf('code-flow.mjs')).toBeLessThanOrEqual(20);
  expect(linesOf('device-flow.mjs')).toBeLessThanOrEqual(15);
});

describe('tables', () => {
  const text = readFileSync(PAGE, 'utf8');
  /** What stands under a heading. */
  const under = (heading: string) => text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

  it('have every error of OAuth, and no other', () => {
    const source = readFileSync('src/service/oauth/oauth-errors.ts', 'utf8');
    const [, descriptions = ''] = /DESCRIPTIONS = \{(.*?)\} as const/s.exec(source) ?? [];
    const known = [...descriptions.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
    const shown = [...under('Errors').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(shown.sort()).toEqual([...known, 'server_error', 'temporarily_unavailable'].sort());
  });

  it('have every endpoint of the metadata', () => {
    const urls = Object.entries(metadataOf('', true)).filter(([name]) => name.endsWith('_endpoint'));
    expect(urls).toHaveLength(4);
    for (const [, path] of urls)
      expect(under('Endpoints')).toMatch(new RegExp(`^\\| \`\\w+ ${path}\` \\|`, 'm'));
  });

  it.each(['authorizationCode', 'accessToken', 'deviceCode', 'deviceInterval', 'session'] as const)(
    'have the default of durations.%s',
    (name) => {
      const row = under('Lifetimes and limits')
        .split('\n')
        .find((line) => line.includes(`\`durations.${name}\``));
      expect(row).toContain(` ${DEFAULT_DURATIONS[name].toLocaleString('en')} seconds`);
    },
  );
});
