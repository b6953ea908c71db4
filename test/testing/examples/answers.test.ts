import { startSandbox } from 'email-verify-widget/testing';
import { expect, it } from 'vitest';

it('answers in every way', async () => {
  const service = await startSandbox({
    answers: {
      'typo@gmial.example': { did_you_mean: 'typo@gmail.com' }, // fields of a result
      'doubtful@b.example': { state: 'risky', score: 12 },
      'busy@b.example': ['slow', 'slow', 'deliverable'], // one by one, then always the last
      'down@b.example': 503,
      'full@b.example': { status: 500, body: { message: 'Oops' }, delayMs: 20 }, // a reply
      '*@mailinator.example': 'disposable', // a domain
      '*': 'rateLimited', // all others
    },
  });
  const ask = (email: string) => fetch(`${service.origin}/v1/verify?email=${email}&api_key=test_key`);

  expect((await ask('busy@b.example')).status).toBe(249);
  expect((await ask('full@b.example')).status).toBe(500);
  expect((await ask('anybody@b.example')).status).toBe(429);
  expect(await (await ask('joe@mailinator.example')).json()).toMatchObject({ disposable: true });
  await service.stop();
});

it('answers when the test releases the request', async () => {
  const service = await startSandbox();
  service.hold(); // requests wait …
  const answer = fetch(`${service.origin}/v1/verify?email=a@b.example&api_key=test_key`);
  const request = await service.nextRequest();
  expect(request.query.api_key).toBe('test_key');

  service.answer('a@b.example', 'risky');
  service.release(); // … until now

  expect(await (await answer).json()).toMatchObject({ state: 'risky' });
  await service.stop();
});
