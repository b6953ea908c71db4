import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { declareRequestState } from '../../../src/service/access/request-state.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { readBodies } from '../../../src/service/http/body-types.ts';
import { answerFailures } from '../../../src/service/http/failure-answers.ts';
import { collectParameters } from '../../../src/service/http/parameters.ts';
import { FORM, multipart } from '../testing.ts';

const KIB = 1024;

/** Two routes that tell how long the parameter is that they got: one takes more than the other. */
function start() {
  const app = fastify({ bodyLimit: 64 * KIB });
  declareRequestState(app);
  answerFailures(app, 100, silentLog);
  readBodies(app);
  app.register(async (scope) => {
    const route = { method: 'POST', handler: length } as const;
    scope.route({ ...route, url: '/small' });
    scope.route({ ...route, url: '/large', bodyLimit: 200 * KIB });
    scope.route({ ...route, url: '/huge', bodyLimit: 1024 * KIB });
  });
  onTestFinished(() => app.close());
  return app;
}

async function length(request: Parameters<typeof collectParameters>[0]) {
  const parameters = await collectParameters(request);
  return { length: String(parameters.get('text')![0]).length };
}

const post = (url: string, type: string, payload: string | Readable) =>
  start().inject({ method: 'POST', url, headers: { 'content-type': type }, payload });

const bodies = (size: number) => {
  const text = 'x'.repeat(size);
  return [
    { type: 'application/json', payload: JSON.stringify({ text }) },
    { type: FORM, payload: `text=${text}` },
    multipart([['text', text]]),
  ];
};

it('takes a body as large as its route says, in every encoding', async () => {
  for (const { type, payload } of bodies(150 * KIB)) {
    const response = await post('/large', type, payload);
    expect([response.statusCode, response.json()]).toEqual([200, { length: 150 * KIB }]);
  }
});

it.each([
  ['/small', 70, 64],
  ['/large', 201, 200],
])('says at %s how much it takes, and refuses more', async (url, sizeKib, limitKib) => {
  for (const { type, payload } of bodies(sizeKib * KIB)) {
    const response = await post(url, type, payload);
    const message = `Expected a body of at most ${limitKib} KiB.`;
    expect([response.statusCode, response.json()]).toEqual([413, { message }]);
  }
});

/** Sends a multipart body whose length no header tells. */
const stream = (payload: string) =>
  post('/large', 'multipart/form-data; boundary=edge', Readable.from([payload]));
const text = '--edge\r\nContent-Disposition: form-data; name="text"\r\n\r\nx\r\n';
const end = '--edge--\r\n';
const json = (name: string, value: unknown) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}\r\n`;
const [filler, less] = ['y'.repeat(201 * KIB), 'y'.repeat(197 * KIB)];

it.each([
  ['before its fields', `${filler}\r\n${text}${end}`],
  ['after its fields', `${text}${end}${filler}`],
  ['in headers of fields', text.replace('\r\n\r\n', `\r\n${'X: y\r\n'.repeat(40 * KIB)}\r\n`) + end],
  ['in fields of JSON', text + json('one', { filler: less }) + json('two', { filler }) + end],
])('counts the bytes of a multipart body %s', async (_where, payload) => {
  const { statusCode } = await stream(payload);
  expect(statusCode).toBe(413);
});

it('takes a field of JSON, and refuses one that is not well-formed', async () => {
  expect((await stream(json('text', ['a', 'b']) + end)).json()).toEqual({ length: 3 });
  expect((await stream(json('text', 'x').replace('"x"', '"x') + end)).statusCode).toBe(400);
});

it.each([
  ['names', `{"text":"x"${Array.from({ length: 16_384 }, (_, index) => `,"n${index}":1`).join('')}}`],
  ['lists and objects', `{"text":[${'{},'.repeat(16_383)}{}]}`],
])('refuses more %s in JSON than a body of ordinary size can hold', async (what, payload) => {
  const refused = await post('/huge', 'application/json', payload);
  const message = `Expected a body of well-formed JSON in UTF-8 with at most 16384 ${what}.`;
  expect([refused.statusCode, refused.json()]).toEqual([400, { message }]);
});

it('refuses more lists in a field of JSON, as in a body of JSON', async () => {
  const lists = Array.from({ length: 16_384 }, () => []);
  const { statusCode, body } = await stream(json('text', lists) + end);
  expect([statusCode, body]).toEqual([400, expect.stringContaining('with at most 16384 lists and objects')]);
});

it('refuses more pairs in a form than a body of ordinary size can hold', async () => {
  expect((await post('/large', FORM, `text=x${'&a'.repeat(16_383)}`)).statusCode).toBe(200);
  const refused = await post('/large', FORM, `text=x${'&a'.repeat(16_384)}`);
  const message = 'Expected at most 16384 fields in the body.';
  expect([refused.statusCode, refused.json()]).toEqual([413, { message }]);
});
