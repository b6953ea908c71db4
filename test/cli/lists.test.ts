/** The command `lists update`, against a real https server with a certificate of its own. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, globalAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CommandError } from '../../src/cli/command-error.ts';
import { fetchList } from '../../src/cli/commands/lists/fetch-list.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import { createEngineFacts } from '../../src/engine/facts/operator-lists.ts';
import { certificate } from '../../src/service/demo/certificate.ts';
import { createFolder } from '../folder.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const GZIP = { 'content-encoding': 'gzip' };
const pems = certificate();
let answer: Answer;
const server = createServer(pems, (request, response) => answer(response, request));
let origin: string;
let folder: string;
const pathOf = (name: string) => join(folder, `${name}.txt`);
const read = (name: string) => readFileSync(pathOf(name), 'utf8');
const files = () => readdirSync(folder).sort();

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalAgent.options.ca = pems.cert;
});
afterAll(async () => {
  delete globalAgent.options.ca;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  folder = createFolder(onTestFinished).path;
  answer = (response) => response.writeHead(404).end();
});

const send =
  (text: string | Buffer): Answer =>
  (response) =>
    void response.end(text);

async function update(parameters: readonly string[] = [], live: object = { listsFolder: folder }) {
  const from = parameters.includes('--from') ? [] : ['--from', `${origin}/list.txt`];
  const { exitCode, output, error } = await runCommandLine(
    ['--config', 'service.json', 'lists', 'update', ...from, ...parameters],
    {
      environment: {},
      readFile: () => JSON.stringify({ live: { helo: 'verify.test', mailFrom: '', ...live } }),
    },
  );
  return { exitCode, error, value: output === '' ? undefined : JSON.parse(output) };
}

/** Puts three entries there, which must still be there after an update that fails. */
async function expectRefused(message: string | RegExp, ...parameters: string[]): Promise<void> {
  const old = 'a.example\nb.example\nc.example\n';
  const name = parameters[parameters.indexOf('--file') + 1] ?? 'disposable';
  const list = parameters.includes('--file') ? name : 'disposable';
  writeFileSync(pathOf(list), old);
  const { exitCode, error, value } = await update(parameters);
  expect([exitCode, value], error).toEqual([1, undefined]);
  expect(error).toMatch(/^Expected .{1,290}\n$/);
  expect(error).toMatch(message);
  expect([files(), read(list)]).toEqual([[`${list}.txt`], old]);
}

it('puts a list in the place of the old one, which it keeps beside it', async () => {
  writeFileSync(pathOf('disposable'), 'old.example\n');
  answer = send('# A comment\nnew.example\nOTHER.example.\n');
  const { exitCode, error, value } = await update();
  expect([exitCode, error]).toEqual([0, '']);
  expect(value).toEqual({ file: pathOf('disposable'), entries: 2, before: 1, changed: true });
  expect(files()).toEqual(['disposable.txt', 'disposable.txt.previous']);
  expect(read('disposable')).toBe('# A comment\nnew.example\nOTHER.example.\n');
  expect(readFileSync(`${pathOf('disposable')}.previous`, 'utf8')).toBe('old.example\n');
});

it('is read by a running service', async () => {
  let now = 0;
  const facts = createEngineFacts(loadPublishedLists(), folder, undefined, () => now);
  expect(facts.findListed(['mx.trash.example'], 'ada.example')).toBeUndefined();
  answer = send('trash.example');
  await update(['--file', 'disposable-mx', '--force']);
  now = 1000;
  expect(facts.findListed(['mx.trash.example'], 'ada.example')).toMatchObject({ as: 'disposable' });
});

it('lets every user read a new list, and keeps the permissions of an old one', async () => {
  answer = send('a.example');
  await update(['--file', 'block']);
  expect(statSync(pathOf('block')).mode & 0o777).toBe(0o644);
  chmodSync(pathOf('block'), 0o640);
  answer = send('b.example');
  await update(['--file', 'block']);
  expect(statSync(pathOf('block')).mode & 0o777).toBe(0o640);
});

it('takes a list that has not changed for a young one, and keeps the one before it', async () => {
  answer = send('a.example\n');
  await update(['--file', 'block']);
  answer = send('b.example\n');
  await update(['--file', 'block']);
  utimesSync(pathOf('block'), new Date(0), new Date(0));
  const { value } = await update(['--file', 'block']);
  expect(value).toMatchObject({ changed: false, entries: 1, before: 1 });
  expect(statSync(pathOf('block')).mtimeMs).toBeGreaterThan(0);
  expect(readFileSync(`${pathOf('block')}.previous`, 'utf8')).toBe('a.example\n');
});

it('makes the folder if it is missing', async () => {
  rmSync(folder, { recursive: true });
  answer = send('a.example');
  expect((await update(['--file', 'block'])).exitCode).toBe(0);
  expect(files()).toEqual(['block.txt']);
});

it('leaves one whole list if two updates run at once', async () => {
  writeFileSync(pathOf('block'), 'old.example\n');
  const lists = ['a.example\n'.repeat(50_000), 'b.example\n'.repeat(50_000)];
  let next = 0;
  answer = (response) => void response.end(lists[next++]);
  await Promise.all([update(['--file', 'block']), update(['--file', 'block'])]);
  expect(lists).toContain(read('block'));
  expect(files()).toEqual(['block.txt', 'block.txt.previous']);
});

it('unpacks gzip, and follows redirects to https', async () => {
  answer = (response, { url, headers }) => {
    expect(headers['accept-encoding']).toBe('gzip');
    if (url === '/list.txt') return response.writeHead(302, { location: '/moved.txt' }).end();
    return response.writeHead(200, GZIP).end(gzipSync('a.example\n'));
  };
  expect((await update(['--file', 'block'])).value).toMatchObject({ entries: 1 });
  expect(read('block')).toBe('a.example\n');
});

it.each([
  ['free', 'gmail.com\nco.uk\nweb.de'],
  ['role', 'kasse\nsales+eu\n# A comment\nm\u00fcll'],
  ['disposable', 'web.id\ntrash.example\nsmtp.gmail.com'],
  ['block', 'b\u00fccher.example\n!fine.example\nmyduck.com'],
  ['disposable-mx', 'mx_1.trash.example\nmailinator.com'],
  ['block-mx', 'mx.abuse.example'],
])('takes a right list for --file %s', async (list, text) => {
  writeFileSync(pathOf(list), '');
  answer = send(text);
  expect(await update(['--file', list])).toMatchObject({ exitCode: 0, error: '' });
  expect(read(list)).toBe(text);
});

describe('refuses', () => {
  it.each([
    ['a malformed line', 'disposable', 'a.example\nb.example\n<html>\nc.example', /one entry in line 3/],
    ['a line with two entries', 'free', 'a.example b.example\nb.example\nc.example', /line 1/],
    ['an address in a list of roles', 'role', 'sales\nada@example.org\nb\nc', /line 2/],
    ['bytes that are no text', 'role', Buffer.from([0x61, 0x0a, 0xff, 0xfe]), /UTF-8/],
    ['an empty list', 'block', '# nothing\n', /at least one entry/],
  ])('%s', async (_, list, text, message) => {
    answer = send(text);
    await expectRefused(message, '--file', list);
  });

  it('an empty list, also for the first time and by force', async () => {
    answer = send('\n!a.example');
    expect((await update(['--file', 'block'])).error).toContain('at least one entry, got none');
    expect((await update(['--file', 'block', '--force'])).exitCode).toBe(1);
    expect(files()).toEqual([]);
  });

  const tenEntries = Array.from({ length: 10 }, (_, index) => `n${index}.example\n`);

  it('a list that has shrunk by more than a tenth, unless it is forced', async () => {
    writeFileSync(pathOf('block'), tenEntries.join(''));
    // Repeated entries count once.
    answer = send(tenEntries.slice(0, 8).join('').repeat(5).toUpperCase());
    const { exitCode, error } = await update(['--file', 'block']);
    expect([exitCode, error]).toEqual([
      1,
      'Expected at least nine tenths of 10 entries, got 8. Add --force if that is right.\n',
    ]);
    expect(read('block')).toBe(tenEntries.join(''));
    expect((await update(['--file', 'block', '--force'])).value).toMatchObject({ entries: 8, before: 10 });
  });

  it('no list that has shrunk by a tenth', async () => {
    writeFileSync(pathOf('block'), tenEntries.join(''));
    answer = send(tenEntries.slice(1).join(''));
    expect((await update(['--file', 'block'])).exitCode).toBe(0);
  });

  it.each([
    ['disposable', loadPublishedLists().disposableDomains.size],
    ['free', loadPublishedLists().freeDomains.size],
    ['role', loadPublishedLists().roleNames.size],
    ['disposable-mx', loadPublishedLists().disposableMailServers.size],
  ])('a first %s list that is much shorter than the packaged one', async (list, size) => {
    answer = send('a');
    if (list !== 'role') answer = send('a.example');
    const { exitCode, error } = await update(['--file', list]);
    expect([exitCode, error]).toEqual([1, expect.stringContaining(`tenths of ${size} entries, got 1`)]);
    expect(files()).toEqual([]);
    expect((await update(['--file', list, '--force'])).value).toMatchObject({ before: size });
  });

  const UNMEANT = [
    ...['xyz', 'com', 'gmail.com', 'outlook.com', 'hotmail.com', 'yahoo.com', 'icloud.com', 'gmx.de'],
    ...['web.de', 'mail.ru', 'qq.com', 'proton.me', 'simplelogin.com', 'aleeas.com', 'anonaddy.me'],
    ...['addy.io', 'duck.com', 'mozmail.com', 'relay.firefox.com', 'firefox.com'],
    ...['privaterelay.appleid.com', 'appleid.com', 'GMail.com.'],
  ];

  it.each(['disposable', 'block', 'disposable-mx', 'block-mx'])(
    "what can't be meant in a %s list",
    async (list) => {
      for (const name of UNMEANT) {
        answer = send(`a.example\nb.example\n${name}\nc.example`);
        await expectRefused("can't be meant", '--file', list, '--force');
      }
    },
  );

  it.each(['disposable-mx', 'block-mx'])(
    'in a %s list also the mail server of a relay or a large provider',
    async (list) => {
      for (const name of [
        'mx1.simplelogin.co',
        'mx02.mail.icloud.com',
        'alt1.gmail-smtp-in.l.google.com',
        'mail.anonaddy.me',
        'inbound-smtp.eu-west-1.amazonaws.com',
      ]) {
        answer = send(`a.example\nb.example\n${name}\nc.example`);
        await expectRefused(`without "${name}"`, '--file', list, '--force');
      }
    },
  );

  it.each([
    ['block', 'co.uk'],
    ['block-mx', 'co.uk'],
    ['disposable-mx', 'google.com'],
    ['block-mx', 'yahoodns.net'],
    ['disposable-mx', 'amazonaws.com'],
  ])('in a %s list also %s, because it takes in what is below', async (list, name) => {
    answer = send(`a.example\nb.example\nc.example\n${name}`);
    await expectRefused(`without "${name}"`, '--file', list);
  });

  it('more than 16 MiB, also when unpacked', async () => {
    const line = `${'a'.repeat(60)}.example\n`;
    const large = Buffer.from(line.repeat(Math.ceil((16 * 1024 * 1024) / line.length) + 1));
    answer = send(large);
    await expectRefused('at most 16 MiB');
    answer = (response) => response.writeHead(200, GZIP).end(gzipSync(large));
    await expectRefused('at most 16 MiB');
  });

  it('a list that never ends', async () => {
    answer = (response) => {
      const more = () => {
        while (response.writable && response.write('a.example\n'.repeat(10_000)));
      };
      response.on('drain', more).on('error', () => {});
      more();
    };
    await expectRefused('at most 16 MiB');
    answer = (response) => void response.write('a.example\n');
    await expect(fetchList(origin, 300)).rejects.toThrow(CommandError);
    await expect(fetchList(origin, 300)).rejects.toThrow('within 0.3 s');
  });

  const four = 'a.example\nb.example\nc.example\nd.example\n';
  /** Answers with these headers. */
  const respond =
    (status: number, headers: Record<string, string | number>, body: string | Buffer = ''): Answer =>
    (response) =>
      void response.writeHead(status, headers).end(body);
  it.each<[string, Answer, string]>([
    [
      'shorter than it says',
      (response) => {
        response.writeHead(200, { 'content-length': 1000 }).write(four, () => response.destroy());
      },
      'cut off',
    ],
    ['cut off between chunks', (response) => void response.write(four, () => response.destroy()), 'cut off'],
    ['cut off within gzip', respond(200, GZIP, gzipSync(four.repeat(9)).subarray(0, -9)), 'cut off'],
    ['cut off before it begins', (response) => response.destroy(), 'cut off'],
    [
      'longer than it says',
      respond(200, { 'content-length': four.length }, four.repeat(2)),
      'response of HTTP',
    ],
    [
      'of unknown length',
      ({ socket }) => socket!.end(`HTTP/1.1 200 OK\r\n\r\n${four}`),
      'says where it ends',
    ],
    ['no gzip, although it says so', respond(200, GZIP, four), 'Z_DATA_ERROR'],
    ['packed in another way', respond(200, { 'content-encoding': 'br' }, four), '"br"'],
    ['not there', respond(404, {}, four), 'got 404'],
    ['only a part', respond(206, {}, four), 'got 206'],
    ['elsewhere without TLS', respond(301, { location: 'http://127.0.0.1:1/' }), 'got one to "http:"'],
    ['elsewhere, nobody knows where', respond(301, {}), 'redirect to a URL'],
    ['in a circle', respond(301, { location: '/' }), 'at most 5 redirects'],
  ])('a list that is %s', async (_, how, message) => {
    answer = how;
    await expectRefused(message);
  });

  it('a server that it does not trust, or that is not there', async () => {
    answer = send(four);
    delete globalAgent.options.ca;
    try {
      await expectRefused('DEPTH_ZERO_SELF_SIGNED_CERT');
    } finally {
      globalAgent.options.ca = pems.cert;
    }
    await expectRefused('ECONNREFUSED', '--from', 'https://127.0.0.1:1/');
  });

  it('a folder that it cannot write to', async () => {
    answer = send(four);
    writeFileSync(pathOf('taken'), '');
    const { exitCode, error } = await update(['--file', 'block'], { listsFolder: pathOf('taken') });
    expect([exitCode, error]).toEqual([
      1,
      expect.stringMatching(/^Expected to read and write .+ got ENOTDIR/),
    ]);
  });
});

it.each([
  [['--from', 'http://lists.example/'], 'Expected --from to be an https URL'],
  [['--from', 'lists.example'], 'Expected --from to be an https URL'],
  [['--from', 'https://lists.example/', '--file', 'allow'], 'Expected --file to be disposable, free'],
])('ends with exit code 2 for %j', async (parameters, message) => {
  const { exitCode, error } = await update(parameters);
  expect([exitCode, error]).toEqual([2, expect.stringContaining(message)]);
});

it('ends with exit code 2 without a folder', async () => {
  const { exitCode, error } = await update([], {});
  expect([exitCode, error]).toEqual([2, expect.stringContaining('Expected live.listsFolder in the config')]);
});
