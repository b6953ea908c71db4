import { expect, it } from 'vitest';
import { createPublicUrl } from '../../../src/service/core/public-url.ts';

const LOOPBACK = { address: '127.0.0.1', family: 'IPv4', port: 8080 };

it('is the URL of the config, also before and after the service listens', async () => {
  const url = createPublicUrl('https://verify.example/api');
  expect(await url.known).toBe('https://verify.example/api');
  url.listensOn(LOOPBACK);
  expect(await url.known).toBe('https://verify.example/api');
});

it('is the address that the service listens on, and waits for it', async () => {
  const url = createPublicUrl(undefined);
  const waiting = url.known;
  url.listensOn(LOOPBACK);
  expect(await waiting).toBe('http://127.0.0.1:8080');
  expect(url.now()).toBe('http://127.0.0.1:8080');
});

it('puts an IPv6 address in brackets', () => {
  const url = createPublicUrl(undefined);
  expect(url.now()).toBe('http://localhost');
  url.listensOn({ address: '::1', family: 'IPv6', port: 8080 });
  expect(url.now()).toBe('http://[::1]:8080');
});

it('has the host that the service was told to listen on', () => {
  const url = createPublicUrl(undefined, 'localhost');
  url.listensOn(LOOPBACK);
  expect(url.now()).toBe('http://localhost:8080');
});
