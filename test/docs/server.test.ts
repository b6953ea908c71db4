/** Runs the programs of docs/server.md, word for word, with a service that signs proofs. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { UnsecuredJWT } from 'jose';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toolFile } from '../../.ci/tools/tools.mjs';
import { breakOffUpload } from '../break-off-upload.ts';
import { packInto } from '../pack.ts';
import { denoEnvironment, denoProgram } from '../server/deno/program.ts';
import {
  claimsOf,
  EMAIL,
  headerOf,
  makeKey,
  PAGE,
  type SigningKey,
  sign,
  signTexts,
} from '../server/issuer.ts';
import { canRun } from '../service/support/client-code.ts';
import { testDatabase } from '../service/support/database.ts';
import { PATIENTLY } from '../service/support/patience.ts';
import { makeTemporaryFolder } from '../service/support/temporary-folder.ts';
import { BLOCKS } from './blocks.ts';

const blockOf = (heading: string) => {
  const block = BLOCKS.find((each) => each.file === 'docs/server.md' && each.heading === heading);
  if (!block) throw new Error(`Expected code under "${heading}" in docs/server.md, got none.`);
  return block.code;
};

const WELCOME = 'Welcome';
const REFUSED = 'Please give an address that you can be reached at.';
const ACCEPTED = { status: 200, text: WELCOME };
const TURNED_DOWN = { status: 422, text: REFUSED };

let key: SigningKey;
let other: SigningKey;
const folder = makeTemporaryFolder('server-docs-');
const asked: string[] = [];
let turn = 0;
let keysAre: 'there' | 'broken' | 'moved' = 'there';
/** What has reached the server that redirects lead to. */
const strayed: string[] = [];

/** It would say yes to everything. */
const elsewhere = createServer((request, response) => {
  strayed.push(`${request.url} ${request.headers.authorization}`);
  const result = { email: EMAIL, state: 'deliverable', reason: 'accepted_email', keys: [other.publicJwk] };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
});
const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The service: its keys, and results by the local part of the address. */
const service = createServer(async (request, response) => {
  const respond = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const redirect = () => response.writeHead(302, { location: originOf(elsewhere) + request.url }).end();
  if (request.url === '/.well-known/jwks.json') {
    if (keysAre === 'broken') return breakOff(response);
    if (keysAre === 'moved') return redirect();
    return respond(200, { keys: [key.publicJwk] });
  }
  const email = new URLSearchParams(await textOf(request)).get('email') ?? '';
  asked.push(`${request.method} ${request.url} ${request.headers.authorization} ${email}`);
  const [name] = email.split('@');
  if (name === 'slow') {
    turn += 1;
    if (turn % 3 !== 0) return respond(249, { message: 'again' });
  }
  if (name === 'busy') return respond(249, { message: 'again' });
  if (name === 'moved') return redirect();
  if (name === 'down') return respond(503, { message: 'down' });
  if (name === 'broken') return breakOff(response);
  const state = name === 'undeliverable' ? name : 'deliverable';
  const reason = state === 'deliverable' ? 'accepted_email' : 'rejected_email';
  return respond(200, { email, state, reason, disposable: name === 'disposable' });
});

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000' }).write('{', () => response.destroy());
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

let url: string;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  [key, other] = await Promise.all([makeKey(), makeKey()]);
  for (const server of [service, elsewhere]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  url = originOf(service);
  packInto(folder);
  const packages = {
    fastify: 'node_modules/fastify',
    '@types': 'node_modules/@types',
    express: resolve(toolFile('express/package.json'), '..'),
    'better-auth': resolve(toolFile('better-auth/package.json'), '..'),
    '@auth': resolve(toolFile('@auth/express/package.json'), '../..'),
  };
  for (const [name, path] of Object.entries(packages))
    symlinkSync(resolve(path), join(folder, 'node_modules', name));
});
afterAll(() => {
  for (const stop of stops) stop();
  service.close();
  elsewhere.close();
  // Deno may write until it has ended.
  rmSync(folder, { recursive: true, maxRetries: 3 });
});

/** Sends a form. @returns the response's text, or its status if it has another one */
type Send = (fields: Record<string, string>) => Promise<{ status: number; text: string }>;

/** Starts a program that says where it listens. @returns its origin */
async function listen(
  command: readonly string[],
  file: string,
  code: string,
  temporary = folder,
  hear: (line: string) => void = () => {},
): Promise<string> {
  writeFileSync(join(folder, file), code);
  const env = {
    ...process.env,
    ...denoEnvironment(join(folder, '.deno')),
    VERIFY_URL: url,
    VERIFY_KEY: 'live_private',
    PAGE_ORIGIN: PAGE,
    AUTH_SECRET: randomBytes(32).toString('base64'),
    PORT: '0',
    TMPDIR: temporary,
  };
  const [program = '', ...words] = command;
  const child = spawn(program, [...words, join(folder, file)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stops.push(() => child.kill());
  // PHP's server says it on standard error, in other words.
  for (const stream of [child.stdout, child.stderr]) stream.on('error', () => {});
  const port = await new Promise<string>((done, failed) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        hear(line);
        const [, found] = /(?:listening on |http:\/\/127\.0\.0\.1:)(\d+)/.exec(line) ?? [];
        if (found) done(found);
      });
    child.on('exit', (status) => failed(new Error(`Expected ${file} to listen, got exit code ${status}.`)));
  });
  return `http://127.0.0.1:${port}`;
}

async function start(
  command: readonly string[],
  file: string,
  code: string,
  path = '/sign-up',
  temporary = folder,
): Promise<Send> {
  const origin = await listen(command, file, code, temporary);
  return async (fields) => {
    const body = new URLSearchParams(fields);
    const response = await fetch(`${origin}${path}`, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };
}

/** Signs in with the link that Auth.js sends, or is refused. */
async function startAuthJs(): Promise<Send> {
  let receive: (link: string) => void;
  const hear = (line: string) => {
    const [, link] = /^to \S+: (\S+)$/.exec(line) ?? [];
    if (link) receive(link);
  };
  const origin = await listen([process.execPath], 'auth-js.mjs', blockOf('Auth.js'), folder, hear);
  return async (fields) => {
    const form = await fetch(`${origin}/auth/csrf`);
    const { csrfToken } = (await form.json()) as { csrfToken: string };
    const link = new Promise<string>((done) => {
      receive = done;
    });
    const body = new URLSearchParams({ ...fields, csrfToken });
    const response = await fetch(`${origin}/auth/signin/email`, {
      ...{ method: 'POST', redirect: 'manual', headers: { cookie: cookieOf(form) }, body },
    });
    const { pathname, search } = new URL(response.headers.get('location') ?? '');
    const email = fields.email?.trim().toLowerCase();
    if (pathname !== '/auth/verify-request') {
      // Without an address, Auth.js does not ask the hook.
      const refusal = email ? '/sign-in?error=email' : '/auth/error?error=Configuration';
      expect(`${pathname}${search}`).toBe(refusal);
      return TURNED_DOWN;
    }
    const cookie = cookieOf(await fetch(await link, { redirect: 'manual' }));
    const session = await fetch(`${origin}/auth/session`, { headers: { cookie } });
    expect(await session.json()).toMatchObject({ user: { email } });
    return ACCEPTED;
  };
}

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');

const node =
  (file: string, heading: string) =>
  (path?: string): Promise<Send> =>
    start([process.execPath], file, blockOf(heading), path);
function writeHandler(): string {
  const file = join(folder, 'handler.mjs');
  writeFileSync(file, blockOf('Next, Hono, Remix and others with `Request` and `Response`'));
  return file;
}
/** @param temporary where it keeps the keys. @default a new folder */
const startPhp = (temporary = makeTemporaryFolder('server-docs-php-'), code = blockOf('PHP')) =>
  start(['php', '-S', '127.0.0.1:0'], 'sign-up.php', code, '/sign-up', temporary);
/** How often the handler was imported. Each import is a program of its own. */
let imported = 0;
const PROGRAMS: Readonly<Record<string, { start: () => Promise<Send>; probe?: readonly string[] }>> = {
  Node: { start: node('server.mjs', 'In three steps') },
  Express: { start: node('express.mjs', 'Express') },
  Fastify: { start: node('fastify.mjs', 'Fastify') },
  'a handler of Request and Response': {
    async start() {
      const file = writeHandler();
      Object.assign(process.env, { VERIFY_URL: url, VERIFY_KEY: 'live_private', PAGE_ORIGIN: PAGE });
      imported += 1;
      const { POST } = await import(/* @vite-ignore */ `${pathToFileURL(file).href}?${imported}`);
      for (const name of ['VERIFY_URL', 'VERIFY_KEY', 'PAGE_ORIGIN']) delete process.env[name];
      return async (fields) => {
        const body = new URLSearchParams(fields);
        const response: Response = await POST(new Request(`${PAGE}/sign-up`, { method: 'POST', body }));
        return { status: response.status, text: await response.text() };
      };
    },
  },
  Deno: {
    start() {
      writeHandler();
      const code = `
        import { POST } from './handler.mjs';
        Deno.serve({ hostname: '127.0.0.1', port: 0 }, POST);`;
      return start([denoProgram(), 'run', '--allow-all', '--no-remote'], 'deno.mjs', code);
    },
  },
  'Better Auth': {
    async start() {
      const send = await node('better-auth.mjs', 'Better Auth')('/api/auth/sign-up/email');
      return async (fields) => {
        const { status, text } = await send({ name: 'Anna', password: 'correct horse', ...fields });
        const { user, message } = JSON.parse(text);
        // What it has stored is the address without spaces, in lower case.
        if (user && !fields.email?.startsWith(' ')) expect(user.email).toBe(fields.email);
        if (user) expect(user.email).toBe(user.email.trim().toLowerCase());
        return { status, text: user ? WELCOME : message };
      };
    },
  },
  'Auth.js': { start: startAuthJs },
  Python: {
    start: () => start(['python3'], 'sign_up.py', blockOf('Python')),
    probe: ['python3', '--version'],
  },
  PHP: { start: () => startPhp(), probe: ['php', '-r', 'exit((int) !function_exists("openssl_verify"));'] },
};

it('are type-checked in a new project that has the package', () => {
  const blocks = BLOCKS.filter(({ file, language }) => file === 'docs/server.md' && language === 'js');
  expect(blocks.length).toBeGreaterThan(8);
  for (const [index, { code }] of blocks.entries())
    writeFileSync(join(folder, `block-${index}.mjs`), `${code}\nexport {};\n`);
  cpSync('test/docs/express.d.ts', join(folder, 'express.d.ts'));
  const files = [...blocks.keys()].map((index) => `block-${index}.mjs`);
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022'];
  const checks = ['--allowJs', '--checkJs', '--strict', 'false', '--skipLibCheck', '--types', 'node'];
  const options = ['--noEmit', ...checks, ...modules];
  const tsc = [resolve('node_modules/typescript/bin/tsc'), ...options, 'express.d.ts', ...files];
  const { stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
  // The address of a server may be the path of a socket. Here it is not.
  expect(errors.filter((line) => !line.includes("'port' does not exist on type 'string | Addr"))).toEqual([]);
});

const missing = Object.keys(PROGRAMS).filter(
  (name) => !canRun(PROGRAMS[name]!.probe ?? ['node', '--version']),
);
if (missing.length > 0) console.warn(`left out, because it is not installed: ${missing.join(', ')}`);

describe.each(Object.keys(PROGRAMS).filter((name) => !missing.includes(name)))(
  'the program for %s',
  (name) => {
    let send: Send;
    beforeAll(async () => {
      send = await PROGRAMS[name]!.start();
    });

    /** A proof of now: the program has a clock of its own. */
    const proofOf = (changes: object = {}, by = key) => {
      const iat = Math.floor(Date.now() / 1000) - 5;
      return sign(by, { iss: url, iat, exp: iat + 600, ...changes });
    };
    const expectAsked = (...emails: string[]) =>
      expect(asked.splice(0)).toEqual(emails.map((email) => `POST /v1/verify Bearer live_private ${email}`));

    it('accepts a true proof without a request, and refuses one whose result is not acceptable', async () => {
      expect(await send({ email: EMAIL, proof: await proofOf() })).toEqual(ACCEPTED);
      const spelled = { email: ' anna@SHOP.example ', proof: await proofOf() };
      expect(await send(spelled)).toEqual(ACCEPTED);
      for (const changes of [{ state: 'undeliverable', reason: 'rejected_email' }, { disposable: true }])
        expect(await send({ email: EMAIL, proof: await proofOf(changes) })).toEqual(TURNED_DOWN);
      expectAsked();
    });

    it('refuses thirteen kinds of false proofs, and asks nobody', async () => {
      const now = Math.floor(Date.now() / 1000);
      const own = { iss: url, iat: now, exp: now + 600 };
      const [head = '', body = '', tail = ''] = (await proofOf()).split('.');
      const withHeader = (changes: object) =>
        signTexts(key, headerOf(key, changes), JSON.stringify(claimsOf(own)));
      const proofs: Record<string, string> = {
        'of another address': await proofOf({ email: 'bob@shop.example' }),
        'of another page': await proofOf({ aud: 'https://evil.example' }),
        'of another service': await proofOf({ iss: 'https://verify.example.test' }),
        'of a test key': await proofOf({ test: true }),
        'by another key': await proofOf({}, { ...other, kid: key.kid }),
        'without a signature': new UnsecuredJWT(claimsOf(own)).encode(),
        'with the algorithm none': `${encode(headerOf(key, { alg: 'none' }))}.${body}.${tail}`,
        'with another algorithm': await withHeader({ alg: 'HS256' }),
        'of another type': await withHeader({ typ: 'JWT' }),
        'with other claims': `${head}.${encode(JSON.stringify(claimsOf({ ...own, score: 100 })))}.${tail}`,
        'in another spelling': `${head}.${body}.${tail}==`,
        'that is not one': 'proof',
        'that is deeper than a parser can go': `${encode('['.repeat(3_000))}.e30.e30`,
      };
      expect(Object.keys(proofs)).toHaveLength(13);
      for (const [kind, proof] of Object.entries(proofs))
        expect(await send({ email: EMAIL, proof }), kind).toEqual(TURNED_DOWN);
      expectAsked();
    });

    it('asks the service without a proof, and with one that has expired or whose key is new', async () => {
      const now = Math.floor(Date.now() / 1000);
      expect(await send({ email: EMAIL })).toEqual(ACCEPTED);
      expect(
        await send({ email: EMAIL, proof: await proofOf({ iat: now - 700, exp: now - 100 }) }),
      ).toMatchObject({ status: 200 });
      expect(await send({ email: EMAIL, proof: await proofOf({}, other) })).toMatchObject({ status: 200 });
      expectAsked(EMAIL, EMAIL, EMAIL);
      for (const email of ['undeliverable@example.com', 'disposable@example.com']) {
        expect(await send({ email })).toEqual(TURNED_DOWN);
        expectAsked(email);
      }
    });

    it('asks again after a 249, and accepts the address without an answer', async () => {
      turn = 0;
      expect(await send({ email: 'slow@example.com' })).toMatchObject({ status: 200 });
      expectAsked(...Array(3).fill('slow@example.com'));
      expect(await send({ email: 'down@example.com' })).toMatchObject({ status: 200 });
      expectAsked('down@example.com');
    });

    it('accepts the address after a response that breaks off, also one with the keys', async () => {
      expect(await send({ email: 'broken@example.com' })).toMatchObject({ status: 200 });
      expectAsked('broken@example.com');
      keysAre = 'broken';
      // It has no keys from before.
      const sendAnew = await PROGRAMS[name]!.start();
      expect(await sendAnew({ email: EMAIL, proof: await proofOf() })).toEqual(ACCEPTED);
      keysAre = 'there';
      expectAsked(EMAIL);
    });

    it('refuses a form without an address, and one that is too long', async () => {
      for (const email of ['', ' ', `${'a'.repeat(250)}@shop.example`])
        expect(await send({ email })).toEqual(TURNED_DOWN);
      expect(await send({})).toEqual(TURNED_DOWN);
      expectAsked();
    });
  },
);

it.each(['PHP'].filter((name) => !missing.includes(name)))(
  'the program for %s trusts no keys that another user of the machine has put where it keeps them',
  async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const planted = JSON.stringify({ keys: [other.publicJwk], fetched: seconds, failed: seconds });
    const { uid } = statSync(folder);
    const plants: ((own: string, temporary: string) => void)[] = [
      (own) => {
        mkdirSync(own, { mode: 0o700 });
        writeFileSync(join(own, 'keys.json'), planted);
        // Only root can give it to another user. To others, it stays their own, with rights for all.
        if (uid === 0) chownSync(own, 65_534, 65_534);
        else chmodSync(own, 0o777);
      },
      (own) => {
        mkdirSync(own);
        writeFileSync(join(own, 'keys.json'), planted);
        chmodSync(own, 0o777);
      },
      (own, temporary) => {
        const elsewhere = join(temporary, 'elsewhere');
        mkdirSync(elsewhere, { mode: 0o700 });
        writeFileSync(join(elsewhere, 'keys.json'), planted);
        symlinkSync(elsewhere, own);
      },
      (own) => {
        mkdirSync(own, { mode: 0o700 });
        // The only mistake that a clock of the own machine can make.
        writeFileSync(join(own, 'keys.json'), planted.replaceAll(String(seconds), String(seconds + 1e6)));
      },
    ];
    const hash = createHash('sha256').update(url).digest('hex');
    for (const plant of plants) {
      const temporary = makeTemporaryFolder('server-docs-keys-');
      plant(join(temporary, `verify-keys-${uid}-${hash}`), temporary);
      // Where it was before the user had a folder.
      writeFileSync(join(temporary, `verify-keys-${hash}.json`), planted);
      const send = await startPhp(temporary);
      const iat = seconds - 5;
      const proof = await sign(other, { iss: url, iat, exp: iat + 600, email: 'undeliverable@example.com' });
      expect(await send({ email: 'undeliverable@example.com', proof })).toMatchObject({ status: 422 });
      expect(asked.splice(0)).toHaveLength(1);
      rmSync(temporary, { recursive: true });
    }
  },
);

it.each(['Node', 'Python', 'PHP'].filter((name) => !missing.includes(name)))(
  'the program for %s follows no redirect, which would carry the key to another host',
  async (name) => {
    keysAre = 'moved';
    const send = await PROGRAMS[name]!.start();
    const iat = Math.floor(Date.now() / 1000) - 5;
    const email = 'undeliverable@example.com';
    const proof = await sign(other, { iss: url, iat, exp: iat + 600, email });
    expect(await send({ email, proof })).toEqual(TURNED_DOWN);
    expect(await send({ email: 'moved@example.com' })).toMatchObject({ status: 200 });
    keysAre = 'there';
    expect(asked.splice(0)).toHaveLength(2);
    expect(strayed.splice(0)).toEqual([]);
  },
);

/** The programs with a clock that only their own pauses move, which they print. */
const TIMED: Readonly<Record<string, (hear: (line: string) => void) => Promise<string>>> = {
  Python(hear) {
    const clock = `
import time
passed = [0]
def sleep(seconds):
    passed[0] += seconds
    print("pause", seconds, flush=True)
time.monotonic, time.sleep = lambda: passed[0], sleep
`;
    return listen(['python3'], 'timed.py', `${clock}${blockOf('Python')}`, folder, hear);
  },
  PHP(hear) {
    // In a namespace, its functions hide those of PHP.
    const clock = `<?php
namespace Timed;
$passed = 0;
function hrtime() { global $passed; return $passed * 1e9; }
function usleep($microseconds) {
    global $passed;
    $passed += $microseconds / 1e6;
    \\error_log("pause " . $microseconds / 1e6);
}
`;
    const code = blockOf('PHP').replace('<?php\n', clock);
    return listen(['php', '-S', '127.0.0.1:0'], 'timed.php', code, folder, hear);
  },
};

it.each(Object.keys(TIMED).filter((name) => !missing.includes(name)))(
  'the program for %s asks again after longer and longer pauses, and ends within ten seconds',
  async (name) => {
    const pauses: number[] = [];
    const origin = await TIMED[name]!((line) => {
      const [, pause] = /pause ([\d.]+)/.exec(line) ?? [];
      if (pause) pauses.push(Number(pause));
    });
    const body = new URLSearchParams({ email: 'busy@example.com' });
    expect(await (await fetch(`${origin}/sign-up`, { method: 'POST', body })).text()).toBe(WELCOME);
    expect(asked.splice(0)).toHaveLength(6);
    await vi.waitFor(() => expect(pauses).toEqual([0, 0.25, 0.5, 1, 2, 4]), PATIENTLY);
  },
);

it('the program for Node goes on after a form that breaks off', async () => {
  const origin = await listen([process.execPath], 'server.mjs', blockOf('In three steps'));
  await breakOffUpload(Number(new URL(origin).port), '/sign-up');
  const form = { method: 'POST', body: new URLSearchParams({ email: EMAIL }) };
  expect(await (await fetch(`${origin}/sign-up`, form)).text()).toBe(WELCOME);
  asked.splice(0);
});

it('the program for Auth.js sends the link to the address that was checked, and to no other', async () => {
  const send = await startAuthJs();
  expect(await send({ email: 'Anna@SHOP.example' })).toEqual(ACCEPTED);
  // Auth.js would cut the first at its comma, and write the second in ASCII.
  for (const email of ['anna@shop.example,bob', 'anna@ｓhop.example'])
    expect(await send({ email })).toEqual(TURNED_DOWN);
  expect(asked.splice(0)).toHaveLength(3);
});

const read = (file: string) => readFileSync(file, 'utf8');
const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('a store of proofs that were used', () => {
  type Seen = (jti: string, exp: number) => boolean | Promise<boolean>;
  const [memory, postgres, redis] = BLOCKS.filter(
    ({ file, heading }) => file === 'docs/server.md' && heading === 'Use each proof once',
  ).map(({ code }) => new Function(`${code}\nreturn createSeen;`)());
  const soon = Math.floor(Date.now() / 1000) + 600;

  async function expectOnce(seen: Seen): Promise<void> {
    const answers = await Promise.all(Array.from({ length: 8 }, () => seen('one', soon)));
    expect(answers.filter((wasThere) => !wasThere)).toHaveLength(1);
    expect([await seen('two', soon), await seen('two', soon)]).toEqual([false, true]);
  }

  it('in one process knows each once, and forgets those that have expired', async () => {
    const seen = memory();
    await expectOnce(seen);
    seen('old', 1);
    expect(seen('old', 1)).toBe(false);
  });

  it('in PostgreSQL knows each once, also at once', async () => {
    const { url: database } = await testDatabase();
    const pool = new Pool({ connectionString: database });
    const [statement = ''] = /create table used_proofs \(.*?\)(?=`)/.exec(read('docs/server.md')) ?? [];
    await pool.query(statement);
    await expectOnce(postgres(pool));
    await pool.end();
  });

  it('in Redis knows each once, with its end', async () => {
    const stored = new Map<string, unknown>();
    const client = {
      /** As the package redis: null if NX finds the name. */
      async set(name: string, _: string, options: { NX: true; EXAT: number }) {
        if (options.NX && stored.has(name)) return null;
        stored.set(name, options.EXAT);
        return 'OK';
      },
    };
    await expectOnce(redis(client));
    expect([...stored]).toEqual([
      ['proof:one', soon],
      ['proof:two', soon],
    ]);
  });
});
