/**
 * The three steps of docs/server.md, as a reader takes them who has nothing: the page of docs/start.md in a browser, and the
 * package in a new project. Only the ports and the paths are the test's own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test as base, expect, type Page } from '@playwright/test';
import { freePort } from '../test/free-port.ts';
import { makeTemporaryFolder } from '../test/service/support/temporary-folder.ts';
import { removeFolder, startDemo } from './pages/service-process.ts';
import { snippet } from './pages/snippets.ts';

const read = (page: string) => readFileSync(new URL(`../docs/${page}.md`, import.meta.url), 'utf8');

/** The groups of what a page says. A page that says it otherwise fails. */
function told(page: string, pattern: RegExp): string[] {
  const [, ...groups] = pattern.exec(read(page)) ?? [];
  if (groups.length === 0) throw new Error(`Expected docs/${page}.md to say ${pattern}, but it does not.`);
  return groups;
}

/** A terminal of its own, without what the test's npm sets for its children. There is no registry. */
const ENVIRONMENT = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  ...{ npm_config_offline: 'true', npm_config_loglevel: 'error' },
};

interface Reader {
  /** The reader's project. */
  readonly folder: string;
  /** Replaces what is not the same on this machine. */
  fill(text: string): string;
  /** Runs a command to its end. @returns what it prints */
  run(command: string, folder?: string): Promise<string>;
  /** Starts a command. @returns the lines that it prints, which become more */
  start(command: string): string[];
}

const test = base.extend<{ reader: Reader }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  reader: async ({}, use) => {
    const demo = await startDemo();
    const folder = makeTemporaryFolder('own-server-');
    const ports: Readonly<Record<string, string | number>> = {
      ...{ 3000: await freePort(), 3001: await freePort(), 8080: new URL(demo.origin).port },
    };
    const fill = (text: string) => text.replace(/\b(3000|3001|8080)\b/g, (port) => String(ports[port]));
    const children: ChildProcess[] = [];
    /** On standard error, which a failure shows. */
    const said: string[] = [];
    const spawnShell = (command: string, cwd = folder) => {
      const env = { ...ENVIRONMENT, PORT: String(ports[3001]) };
      const child = spawn('bash', ['-c', fill(command)], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stderr.setEncoding('utf8').on('data', (chunk) => said.push(chunk));
      children.push(child);
      return child;
    };
    await use({
      folder,
      fill,
      async run(command, cwd) {
        let printed = '';
        const child = spawnShell(command, cwd);
        const status = once(child, 'exit');
        for await (const chunk of child.stdout.setEncoding('utf8')) printed += chunk;
        expect(await status, said.join('')).toEqual([0, null]);
        return printed;
      },
      start(command) {
        const lines: string[] = [];
        createInterface({ input: spawnShell(command).stdout }).on('line', (line) => lines.push(line));
        return lines;
      },
    });
    for (const child of children) child.kill();
    await demo.stop();
    removeFolder(folder);
  },
});

/** Makes the package, and installs it into the project. */
async function installPackage({ folder, run }: Reader): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}');
  const [install, archive] = told(
    'widget',
    /run `(npm install)` with the path of the file that `npm pack` has made, such as `npm install \S+\/(\S+?)`/,
  );
  const [, , pack] = (await snippet('Install the package', 1, 'widget')).trim().split('\n');
  expect(pack).toBe('npm pack');
  await run(`${pack} --pack-destination ${folder}`, process.cwd());
  await run(`${install} ./${archive}`);
}

/** Submits the page's form. @returns what it has sent */
async function submit(page: Page, address: string): Promise<Record<string, string>> {
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByLabel('Email').pressSequentially(address);
  await page.getByRole('button', { name: 'Sign up' }).click();
  return Object.fromEntries(new URLSearchParams((await sent).postData() ?? ''));
}

test('makes a form that one’s own server checks, in three steps of the page', async ({ page, reader }) => {
  const { folder, fill, run, start } = reader;
  const [refused = ''] = told('server', /It responds with \*(.*?)\*/);
  const [address = '', field = '', said] = told(
    'server',
    /Submit the form with `(.*?)`\. The server verifies the proof in the field `(.*?)`, and prints `(.*?)`\./,
  );
  await installPackage(reader);

  const [action, option] = told(
    'server',
    /^1\. .*: add `(action=.*?)` to it\. .*: add `(data-.*?)` to its script tag\.$/m,
  );
  const html = (await snippet('Verify addresses on your page', 1, 'start'))
    .replace('<form', `<form ${action}`)
    .replace('<script async', `<script async ${option}`);
  writeFileSync(join(folder, 'page.html'), fill(html));
  start(await snippet('Verify addresses on your page', 2, 'start'));

  const [file = ''] = told('server', /^2\. Save this as `(.*?)`, in your project:$/m);
  writeFileSync(join(folder, file), await snippet('In three steps', 1, 'server'));

  const lines = start(await snippet('In three steps', 2, 'server'));
  const expected: (string | undefined)[] = [];
  const expectLine = async (line: string | undefined) => {
    expected.push(line);
    await expect.poll(() => lines).toEqual(expected);
  };
  await expectLine(fill('listening on 3001'));
  const open = () =>
    page.goto(fill('http://localhost:3000')).then(
      () => true,
      () => false,
    );
  await expect.poll(open).toBe(true);
  const form = await submit(page, address);
  await expect(page.locator('body')).toHaveText('Welcome');
  expect(form).toEqual({ email: address, [field]: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  await expectLine(said);

  // Without the page, anybody can send what they like.
  const post = async (fields: Record<string, string>, text: string, line: string | undefined) => {
    const body = new URLSearchParams(fields);
    const response = await fetch(fill('http://127.0.0.1:3001/sign-up'), { method: 'POST', body });
    expect(await response.text()).toBe(text);
    await expectLine(line);
  };
  const proof = form[field] ?? '';
  const [head, body, tail = ''] = proof.split('.');
  const forged = [head, body, tail.startsWith('A') ? tail.replace('A', 'B') : `A${tail.slice(1)}`].join('.');
  await post({ email: address, [field]: proof }, 'Welcome', said);
  await post({ email: 'bob@example.com', [field]: proof }, refused, 'other-address');
  await post({ email: address, [field]: forged }, refused, 'signature');

  expect(await run(await snippet('In three steps', 3, 'server'))).toBe(refused);
  await expectLine('rejected_email');
  await post({ email: address }, 'Welcome', said);
});
