/** Programs of others read the descriptions of the API: a linter, two makers of clients, and Postman's own runner. */
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { OpenAPIV3_1 } from 'openapi-types';
import { describe, expect, it } from 'vitest';
import { loadTool, toolFile } from '../../../.ci/tools/tools.mjs';
import { endpointsOf } from '../../../docs/site/endpoints.ts';
import { createApp } from '../../../src/service/oauth/apps/create-app.ts';
import { createFolder } from '../../folder.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { createScript, startStoredService, storeKey } from '../support/stored-service.ts';

const { db } = await testDatabase();
const { path: folder, write } = createFolder();
symlinkSync(resolve('.ci/tools/node_modules'), join(folder, 'node_modules'));
write('package.json', '{ "type": "module" }');

const ACCOUNT = await makeAccount(db, 1_000);
const { key: test } = await storeKey(db, ACCOUNT);
const { key: live } = await storeKey(db, ACCOUNT, { mode: 'live' });
await createApp(db, {
  ...{ accountId: ACCOUNT, name: 'Newsletter', clientId: 'newsletter_app' },
  ...{ redirectUris: [], allowsDevice: true, isPublic: true },
});

/** A service that listens, its document, and a file with it. */
async function open() {
  const { app } = await startStoredService(db, { docs: DOCS, ...createScript() });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const text = await (await fetch(`${baseUrl}/docs/openapi.json`)).text();
  writeFileSync(join(folder, 'openapi.json'), text);
  return { baseUrl, text, document: JSON.parse(text) as OpenAPIV3_1.Document };
}

const run = (...parameters: string[]) =>
  execFileSync('node', parameters, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

/** @returns what TypeScript says of the files, which is nothing if they are right */
function compile(...files: string[]): string {
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const library = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', '', '--skipLibCheck'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  try {
    return run(tsc, ...options, ...library, '--allowImportingTsExtensions', ...files);
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** Runs the function that a program exports. */
async function callsOf(program: string, baseUrl: string): Promise<Called> {
  const outfile = join(folder, program.replace('.ts', '.mjs'));
  await build({
    ...{ entryPoints: [join(folder, program)], outfile, bundle: true },
    ...{ format: 'esm', platform: 'node', logLevel: 'silent' },
  });
  const { callAll } = await import(pathToFileURL(outfile).href);
  return callAll(baseUrl, test, live);
}

/** Each call, with the status and the body of its response. */
type Called = Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;

/** The statuses that the programs get. */
const STATUSES = {
  ...{ verify: 200, slow: 249, noAddress: 400, unknownKey: 403, verifyByPost: 200 },
  ...{ explain: 200, createBatch: 200, batch: 200, account: 200, deviceCode: 200, token: 400 },
};

/** Declares each body with the type of its response, once the statuses are as expected. */
function typedBodies(called: Called, typeOf: (operation: string) => string): string {
  const calls = Object.entries(called);
  expect(Object.fromEntries(calls.map(([name, { status }]) => [name, status]))).toEqual(STATUSES);
  const lines = calls.map(([name, { status, body }]) => {
    const type = `Body<${typeOf(OPERATION_OF[name] ?? name)}, ${status}>`;
    return `export const ${name}: ${type} = ${JSON.stringify(body)};\n`;
  });
  return lines.join('');
}

it('finds nothing wrong in the OpenAPI document (Redocly)', async () => {
  const { text } = await open();
  const file = pathToFileURL(toolFile('@redocly/openapi-core/lib/index.js')).href;
  const { createConfig, lintFromString } = await import(file);
  // In the strict set, what is only a warning elsewhere is an error, such as an example that does not fit its schema.
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, config, absoluteRef: '/openapi.json' });
  expect(problems).toEqual([]);
});

describe('a client has the types of what the service returns', () => {
  it('made by openapi-typescript', async () => {
    const { baseUrl } = await open();
    run(toolFile('openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'types.ts');
    writeFileSync(
      join(folder, 'fetched.ts'),
      `import createClient from 'openapi-fetch';
       import type { paths } from './types.ts';

       export async function callAll(baseUrl: string, test: string, live: string) {
         const clientOf = (key: string) =>
           createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
         const { GET, POST } = clientOf(test);
         const oauth = createClient<paths>({
           baseUrl,
           headers: { 'content-type': 'application/x-www-form-urlencoded' },
         });
         const query = { email: 'deliverable@example.com', timeout: 5 };
         const created = await POST('/v1/batch', { body: { emails: [query.email, query.email] } });
         const id: string = created.data!.id;
         const called = {
           verify: await GET('/v1/verify', { params: { query } }),
           slow: await GET('/v1/verify', { params: { query: { email: 'slow@example.com' } } }),
           noAddress: await GET('/v1/verify', { params: { query: { email: '' } } }),
           unknownKey: await clientOf('test_unknown').GET('/v1/verify', { params: { query } }),
           verifyByPost: await POST('/v1/verify', {
             params: { header: { 'Idempotency-Key': 'first' } },
             body: { email: query.email, smtp: false },
           }),
           explain: await clientOf(live).GET('/v1/verify/explain', { params: { query } }),
           createBatch: created,
           batch: await GET('/v1/batch', { params: { query: { id } } }),
           account: await GET('/v1/account'),
           deviceCode: await oauth.POST('/oauth/device/code', { body: { client_id: 'newsletter_app' } }),
           token: await oauth.POST('/oauth/token', {
             body: { grant_type: 'refresh_token', client_id: 'newsletter_app', refresh_token: 'unknown' },
           }),
         };
         const { account, batch, token } = called;
         if (account.data) account.data.available_credits satisfies number;
         if (batch.data) batch.data.emails?.[0]?.score satisfies number | undefined;
         if (token.error && 'error' in token.error) token.error.error_description satisfies string;
         // @ts-expect-error no such field
         account.data?.credits;
         // @ts-expect-error the address is missing
         void (() => GET('/v1/verify', { params: { query: { timeout: 5 } } }));
         // @ts-expect-error a number of seconds
         void (() => GET('/v1/verify', { params: { query: { ...query, timeout: 'long' } } }));
         // @ts-expect-error not one of the fields
         void (() => POST('/v1/batch', { body: { emails: [], response_fields: ['duration'] } }));
         return Object.fromEntries(
           Object.entries(called).map(([name, { data, error, response }]) => [
             name,
             { status: response.status, body: data ?? error },
           ]),
         );
       }`,
    );
    const called = await callsOf('fetched.ts', baseUrl);
    const typed = typedBodies(called, (operation) => `'${operation}'`);
    writeFileSync(
      join(folder, 'answers.ts'),
      `import type { operations, webhooks } from './types.ts';
       type Body<Id extends keyof operations, Status extends number> =
         operations[Id] extends { responses: Record<Status, { content: { 'application/json': infer Json } }> } ? Json : never;
       ${typed}
       export const callback: webhooks['batchCompleted']['post']['requestBody']['content']['application/json'] = batch;
       // @ts-expect-error the state is none of them
       export const wrong: Body<'verify', 200> = { ...verify, state: 'perhaps' };`,
    );
    expect(compile('fetched.ts', 'answers.ts')).toBe('');
  });

  it('made by oazapfts', async () => {
    const { baseUrl } = await open();
    run(toolFile('oazapfts/dist/cli.js'), 'openapi.json', 'api.ts');
    writeFileSync(
      join(folder, 'generated.ts'),
      `import { account, batch, createBatch, defaults, deviceCode, explain, token, verify, verifyByPost } from './api.ts';

       export async function callAll(baseUrl: string, test: string, live: string) {
         defaults.baseUrl = baseUrl;
         const as = (key: string) => ({ headers: { authorization: \`Bearer \${key}\` } });
         const email = 'deliverable@example.com';
         const created = await createBatch({ emails: [email, email].join() }, {}, as(test));
         const id = created.status === 200 ? created.data.id : '';
         const called = {
           verify: await verify(email, { timeout: 5, acceptAll: false }, as(test)),
           slow: await verify('slow@example.com', {}, as(test)),
           noAddress: await verify('', {}, as(test)),
           unknownKey: await verify(email, {}, as('test_unknown')),
           verifyByPost: await verifyByPost({ email, smtp: false }, { idempotencyKey: 'second' }, as(test)),
           explain: await explain(email, {}, as(live)),
           createBatch: created,
           batch: await batch({ id }, as(test)),
           account: await account(as(test)),
           deviceCode: await deviceCode({ client_id: 'newsletter_app' }),
           token: await token({ grant_type: 'refresh_token', client_id: 'newsletter_app', refresh_token: 'unknown' }),
         };
         const { verify: verified, account: owner } = called;
         if (verified.status === 200) verified.data.state satisfies 'deliverable' | 'undeliverable' | 'risky' | 'unknown';
         if (verified.status === 249) verified.data.message satisfies string;
         // @ts-expect-error only an account has credits
         if (owner.status === 200) owner.data.state;
         // @ts-expect-error a batch needs addresses
         void (() => createBatch({ url: 'https://shop.example' }));
         return Object.fromEntries(
           Object.entries(called).map(([name, { status, ...rest }]) => [
             name,
             { status, body: 'data' in rest ? rest.data : undefined },
           ]),
         );
       }`,
    );
    const called = await callsOf('generated.ts', baseUrl);
    const typed = typedBodies(called, (operation) => `typeof api.${operation}`);
    writeFileSync(
      join(folder, 'bodies.ts'),
      `import type * as api from './api.ts';
       type Body<Operation extends (...given: never[]) => Promise<unknown>, Status extends number> =
         Extract<Awaited<ReturnType<Operation>>, { status: Status; data: unknown }>['data'];
       ${typed}
       // @ts-expect-error credits are a number
       export const wrong: Body<typeof api.account, 200> = { ...account, available_credits: 'many' };`,
    );
    expect(compile('generated.ts', 'bodies.ts')).toBe('');
  });
});

/** The operation of a call that has a name of its own. */
const OPERATION_OF: Readonly<Record<string, string>> = {
  ...{ slow: 'verify', noAddress: 'verify', unknownKey: 'verify' },
};

it('is run by Postman’s own runner (Newman)', async () => {
  const { baseUrl, document } = await open();
  const collection = await (await fetch(`${baseUrl}/docs/postman.json`)).json();
  const variables = { api_key: test, client_id: 'newsletter_app', token: 'unknown' };
  const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }));
  const { run: runCollection } = loadTool('newman');
  const summary = await new Promise<Summary>((done, fail) => {
    runCollection({ collection, envVar, reporters: [] }, (error: Error | null, ended: Summary) =>
      error ? fail(error) : done(ended),
    );
  });
  const statuses = summary.run.executions.map(({ item, response }) => [item.name, response?.code]);
  const operations = endpointsOf(document).map(({ operation }) => operation);
  const summaryOf = new Map(operations.map(({ operationId, summary }) => [operationId, summary]));
  const expected = {
    ...{ verify: 200, verifyByPost: 200, createBatch: 200, account: 200, deviceCode: 200 },
    ...{ revoke: 200, preflight: 204 },
    // These need a live key, and what only this account has: a batch, a file and a code.
    ...{ explain: 403, batch: 404, downloadBatch: 404, token: 400 },
  };
  const named = Object.entries(expected).map(([id, status]) => [summaryOf.get(id), status]);
  expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(named));
});

type Execution = { readonly item: { readonly name: string }; readonly response?: { readonly code: number } };
type Summary = { readonly run: { readonly executions: readonly Execution[] } };
