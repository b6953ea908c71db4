/**
 * The service with a database and live keys, in a separate process. It starts like `main.ts`, but its verifier returns at
 * once. The bench thus measures the service and its database, without mail servers.
 *
 *   node live-service.mjs postgres://…   makes the accounts, and prints their keys, the routes that take a
 *                                      body, those of pages, and a person with a key
 */
import { randomBytes } from 'node:crypto';
import { createFacts } from '../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import { createSampleVerifier } from '../../src/sample/sample-verifier.ts';
import { listen } from '../../src/service/app/listen.ts';
import { openDeps } from '../../src/service/app/open-deps.ts';
import { createService } from '../../src/service/app/web.ts';
import { bufferLines, jsonLog } from '../../src/service/core/log.ts';
import { createKey } from '../../src/service/keys/key-store.ts';
import { createApp } from '../../src/service/oauth/apps/create-app.ts';
import { hashPassword } from '../../src/service/people/accounts/password-hash.ts';
import { createAccount } from '../../src/service/people/members/create-account.ts';
import { settingsWith } from '../../test/service/support/deps.ts';
import { routesOf, routesWithBody } from '../../test/service/support/routes.ts';

const ACCOUNTS = 10;
const CREDITS = 1_000_000_000;

const log = jsonLog(bufferLines((text) => process.stderr.write(text)).add, Date.now);
const limits = { verifyPerSecond: 1_000_000, batchPerSecond: 1_000_000 };
const settings = { ...settingsWith({ limits, refundUnknown: false }), database: { url: process.argv[2]! } };
const { deps, ready } = openDeps({
  ...{ settings, log },
  liveVerifier: createSampleVerifier(createFacts(loadPublishedLists())),
});
await ready;
const ACCESS = { kind: 'private' as const, name: null, trusted_domains: [], trusted_ips: [] };
const [keys, testKeys]: [string[], string[]] = [[], []];
for (let count = 0; count < ACCOUNTS; count += 1) {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const account = await createAccount(deps.db, { email, passwordHash: 'none', credits: CREDITS });
  if (typeof account === 'string') throw new Error('the same account twice');
  for (const [mode, made] of [
    ['live', keys],
    ['test', testKeys],
  ] as const)
    made.push((await createKey(deps.db, { ...ACCESS, account_id: account.id, mode })).key);
}
const [PERSON, PASSWORD] = ['person@example.com', randomBytes(12).toString('hex')];
const person = await createAccount(deps.db, {
  ...{ email: PERSON, passwordHash: await hashPassword(PASSWORD), credits: CREDITS },
});
if (typeof person === 'string') throw new Error('the same account twice');
const own = await createKey(deps.db, { ...ACCESS, account_id: person.id, mode: 'test' });
await createApp(deps.db, {
  ...{ accountId: person.id, clientId: undefined, name: 'An app', redirectUris: ['https://app.example/'] },
  ...{ allowsDevice: true, isPublic: false },
});
const app = createService({ keys: [], settings, deps, log });
await app.ready();
process.stdout.write(`keys ${keys.join(' ')}\n`);
process.stdout.write(`test keys ${testKeys.join(' ')}\n`);
process.stdout.write(`routes ${routesWithBody(app).join(' ')}\n`);
process.stdout.write(`pages ${routesOf(app, 'GET').join(' ')}\n`);
process.stdout.write(`person ${PERSON} ${PASSWORD} ${own.key}\n`);
process.stdout.write(`listening on ${await listen(app, '127.0.0.1', 0, 1)}\n`);
