import { expect, it } from 'vitest';
import { createPublicUrl } from '../../src/service/public-url.ts';

it('is the URL of the config, also before and after the service listens', async () => {
  const url = createPublicUrl('https://verify.example/api');
  expect(await url.known).toBe('https://verify.example/api');
  url.listensOn('http://127.0.0.1:8080');
  expect(await url.known).toBe('https://verify.example/api');
});

it('is the address that the service listens on, and waits for it', async () => {
  const url = createPublicUrl(undefined);
  const waiting = url.known;
  url.listensOn('http://127.0.0.1:8080');
  expect(await waiting).toBe('http://127.0.0.1:8080');
});
