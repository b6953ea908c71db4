import { type FastifyInstance, fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { answerWhenMade } from '../../../src/service/files/send-file.ts';

function open(): FastifyInstance {
  const app = fastify();
  onTestFinished(() => app.close());
  return app;
}

it('makes a file at its first request, and once for requests at the same time', async () => {
  const app = open();
  let made = 0;
  const make = async () => Buffer.from(`made ${++made}`);
  app.get('/', answerWhenMade(make, 'text/plain', { 'Cache-Control': 'no-cache' }));
  await app.ready();
  expect(made).toBe(0);
  const answers = await Promise.all([app.inject('/'), app.inject('/')]);
  expect(answers.map(({ body }) => body)).toEqual(['made 1', 'made 1']);
  expect((await app.inject('/')).body).toBe('made 1');
  expect(answers[0]!.headers['cache-control']).toBe('no-cache');
});

it('makes a file again after it could not be made', async () => {
  const app = open();
  let tries = 0;
  const make = async () => {
    tries++;
    if (tries === 1) throw new Error('the disk is away');
    return Buffer.from('made');
  };
  app.get('/', answerWhenMade(make, 'text/plain', {}));
  const failed = await app.inject('/');
  expect([failed.statusCode, failed.headers.etag]).toEqual([500, undefined]);
  const mended = await app.inject('/');
  expect([mended.statusCode, mended.body]).toEqual([200, 'made']);
});
