import { startSandbox } from 'email-verify-widget/testing';
import { expect, it } from 'vitest';

it('gets a verdict for an address', async () => {
  const service = await startSandbox({ answers: { 'a@b.example': 'undeliverable' } });

  const answer = await fetch(`${service.origin}/v1/verify?email=a@b.example&api_key=test_key`);

  expect(await answer.json()).toMatchObject({ state: 'undeliverable' });
  expect(service.asked).toEqual(['a@b.example']);
  await service.stop();
});
