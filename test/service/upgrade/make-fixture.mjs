/**
 * Makes the database of a release, for the tests of upgrades: it runs that release, uses every part of it, kills it in the
 * middle of its work, and backs its database up. The backup keeps the schema of the release. It also packs the release's
 * program, which a checkout without history cannot build, so that a test can run it beside this version. Keep only that of
 * the latest release.
 *
 *   node build.mjs
 *   git archive <commit of the release> | tar -x -C <folder>, link node_modules into it, and build it there
 *   node test/service/upgrade/make-fixture.mjs <folder>
 */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { Window } from 'happy-dom';

const [release] = process.argv.slice(2);
const HERE = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fixture-'));
chmodSync(folder, 0o755);
const TEN_YEARS = 315_360_000;
const PASSWORD = 'correct horse battery';
const REDIRECT_URI = 'https://app.example/callback';

/** A name server that never answers, so that live verifications do not end. */
const nameServer = createSocket('udp4').bind(0, '127.0.0.1');
await once(nameServer, 'listening');

const delivered = withResolvers();
const receiver = createServer(({ url }, response) => {
  response.statusCode = url === '/hook' ? 200 : 500;
  response.end();
  if (url === '/hook') response.on('close', () => delivered.resolve());
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

const config = join(folder, 'service.json');
// What the backup holds is to be valid for as long as possible.
const durations = ['verifyAgain', 'inlineResults', 'downloadFile', 'callbackGiveUp'];
const oauthDurations = ['authorizationCode', 'accessToken', 'deviceCode', 'session'];
writeFileSync(
  config,
  JSON.stringify({
    database: 'database',
    durations: Object.fromEntries([...durations, ...oauthDurations].map((name) => [name, TEN_YEARS])),
    limits: { verifyPerSecond: 1000, batchPerSecond: 1000, accountPerSecond: 1000 },
    callbacks: { allowPrivateAddresses: true },
    live: {
      helo: 'verify.example',
      mailFrom: '',
      dns: [`127.0.0.1:${nameServer.address().port}`],
      allowPrivateAddresses: true,
    },
  }),
);
writeFileSync(join(folder, 'password'), PASSWORD);

const main = spawn(
  process.execPath,
  [join(release, 'dist/service/main.js'), '--config', config, '--port', '0'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  },
);
const [line] = await once(main.stdout, 'data');
const address = /http:\S+/.exec(line)[0];

const admin = (...words) =>
  JSON.parse(
    execFileSync(process.execPath, [join(release, 'dist/admin/main.js'), '--config', config, ...words], {
      encoding: 'utf8',
    }),
  );
const EMAIL = ['--email', 'ada@example.com'];
const account = admin(
  'account',
  'create',
  ...EMAIL,
  '--credits',
  '1000000',
  '--password-file',
  join(folder, 'password'),
);
const key = (...flags) => admin('key', 'create', ...EMAIL, ...flags);
const testKey = key('--kind', 'private', '--mode', 'test', '--name', 'Program');
const liveKey = key('--kind', 'private', '--mode', 'live');
const publicKey = key('--kind', 'public', '--mode', 'live', '--trusted-domain', 'shop.example');
const rolled = key('--kind', 'private', '--mode', 'test');
const newValue = admin('key', 'roll', '--id', rolled.id, '--overlap', '604800');
const app = admin('app', 'create', ...EMAIL, '--name', 'Shop', '--redirect-uri', REDIRECT_URI, '--device');

const post = async (path, fields, headers = {}) => {
  const response = await fetch(address + path, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  });
  return response.json();
};
const bearer = (value) => ({ Authorization: `Bearer ${value}` });

// Batches: delivered, not delivered, with a download, and one that nobody will have completed.
const addresses = (count, domain) =>
  Array.from({ length: count }, (_, number) => `u${number}@${domain}`).join();
const batch = (value, emails, fields = {}) => post('/v1/batch', { emails, ...fields }, bearer(value.key));
const RECEIVER = `http://127.0.0.1:${receiver.address().port}`;
const small = await batch(testKey, 'ada@example.com,ADA@example.com,role@example.com', {
  url: `${RECEIVER}/hook`,
});
const undelivered = await batch(testKey, 'role@example.com', { url: `${RECEIVER}/fails` });
if (!undelivered.id) throw new Error(undelivered.message);
const large = await batch(testKey, addresses(1500, 'company.example'));
await delivered.promise;
const complete = async ({ id }) => {
  for (;;) {
    const answer = await fetch(`${address}/v1/batch?id=${id}`, { headers: bearer(testKey.key) });
    const body = await answer.json();
    if (body.total_counts) return body;
    // A tool for releases, and not a test: it asks until the batch is completed.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
for (const each of [small, undelivered, large]) await complete(each);
const open = await batch(liveKey, addresses(30, 'accepted.test'));

// Single verifications: one that is promised and runs, one of a visitor, one that is repeated.
const verify = { email: 'promised@accepted.test', timeout: '2' };
await post('/v1/verify', verify, bearer(liveKey.key));
await post('/v1/verify', { ...verify, api_key: publicKey.key }, { Origin: 'https://shop.example' });
await post('/v1/verify', { ...verify, api_key: publicKey.key }, { Origin: 'https://other.example' });
const repeated = await post(
  '/v1/verify',
  { email: 'ada@example.com' },
  {
    ...bearer(testKey.key),
    'Idempotency-Key': 'fixture',
  },
);

// A person who signs in, allows the app twice, and leaves one code unused.
const cookies = new Map();
async function visit(path, body) {
  const response = await fetch(address + path, {
    redirect: 'manual',
    headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    ...(body && { method: 'POST', body }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
    cookies.set(name, value);
  }
  const { document } = new Window();
  document.write(await response.text());
  return { location: response.headers.get('location'), document };
}
function press({ document }, text, fields = {}) {
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === text);
  const form = button.closest('form');
  const isMultipart = form.getAttribute('enctype') === 'multipart/form-data';
  const sent = isMultipart ? new FormData() : new URLSearchParams();
  for (const input of form.querySelectorAll('input')) {
    if (!['radio', 'checkbox'].includes(input.type) || input.checked) sent.set(input.name, input.value);
  }
  for (const [label, value] of Object.entries(fields)) {
    const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
    sent.set(document.getElementById(found.getAttribute('for')).name, value);
  }
  if (button.getAttribute('name')) sent.set(button.getAttribute('name'), button.getAttribute('value'));
  return visit(form.getAttribute('action'), sent);
}
await press(await visit('/login'), 'Sign in', { Email: 'ada@example.com', Password: PASSWORD });
const consent = `/oauth/authorize?${new URLSearchParams({
  response_type: 'code',
  client_id: app.client_id,
  redirect_uri: REDIRECT_URI,
})}`;
async function codeOf() {
  const page = await visit(consent);
  const { location } = page.location ? page : await press(page, 'Allow');
  return new URL(location).searchParams.get('code');
}
const client = { client_id: app.client_id, client_secret: app.client_secret };
const grant = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, ...client };
const tokens = await post('/oauth/token', { ...grant, code: await codeOf() });
const unusedCode = await codeOf();
// A list whose batch has begun.
const pasted = { Addresses: 'role@example.com\nada@example.com\n' };
const uploaded = await press(await visit('/dashboard/batches/new'), 'Use these addresses', pasted);
const started = await press(await visit(uploaded.location), 'Start');
if (!started.location?.startsWith('/dashboard/batches/')) throw new Error(started.document.body.textContent);
const device = await post('/oauth/device/code', { client_id: app.client_id });

process.kill(-main.pid, 'SIGKILL');
await once(main, 'exit');
const schema = backUp();
const secrets = {
  password: PASSWORD,
  keys: { test: testKey.key, live: liveKey.key, public: publicKey.key, old: rolled.key, new: newValue.key },
  batches: { small: small.id, undelivered: undelivered.id, large: large.id, open: open.id },
  cookies: [...cookies],
  client: { ...client, redirect_uri: REDIRECT_URI },
  tokens,
  unusedCode,
  device,
  repeated,
  accountId: account.id,
};
writeFileSync(join(HERE, `${schema}.json`), `${JSON.stringify(secrets, null, 2)}\n`);
const parts = ['--exclude', '*.map', '--sort', 'name', '--mtime', '@0', 'admin', 'service'];
const program = execFileSync('tar', ['-C', join(release, 'dist'), '-c', ...parts], { maxBuffer: 2 ** 28 });
writeFileSync(join(HERE, `${schema}.program.tar.br`), brotliCompressSync(program));
nameServer.close();
receiver.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });

/** With this program, which leaves the schema as it is. */
function backUp() {
  const file = join(folder, 'backup');
  const current = fileURLToPath(new URL('../../../dist/admin/main.js', import.meta.url));
  const { schema, rows } = JSON.parse(
    execFileSync(process.execPath, [current, '--config', config, 'backup', file], { encoding: 'utf8' }),
  );
  const empty = Object.keys(rows).filter((table) => rows[table] === 0);
  if (empty.length > 0) throw new Error(`Expected rows in every table, got none in ${empty.join(', ')}.`);
  execFileSync('cp', [file, join(HERE, `${schema}.backup`)]);
  console.log(rows);
  return schema;
}

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
