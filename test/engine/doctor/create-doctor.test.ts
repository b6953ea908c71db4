/** Whether port 25 is closed, asked with real sockets on loopback. */
import { afterEach, expect, it } from 'vitest';
import { createDoctor } from '../../../src/engine/doctor/create-doctor.ts';
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/engine/options.ts';
import { freePort } from '../../free-port.ts';
import { startMailServer } from '../world/mail-server.ts';
import { fakeResolver } from './fake-resolver.ts';

const PROVIDERS = ['gmail.com', 'outlook.com', 'icloud.com', 'yahoo.com'];
const mailAt = (domain: string, ip: string) => ({
  [domain]: { mx: [{ preference: 10, exchange: `mx.${domain}` }] },
  [`mx.${domain}`]: { a: [ip] },
});
/** Each provider on a loopback IP address of its own. */
const resolver = fakeResolver(
  Object.assign({}, ...PROVIDERS.map((domain, index) => mailAt(domain, `127.0.0.${index + 1}`))),
);
const doctorAt = (smtpPort: number, allowPrivateAddresses: boolean) =>
  createDoctor(
    { ...DEFAULT_ENGINE_OPTIONS, helo: 'verify.test', mailFrom: '', smtpPort, allowPrivateAddresses },
    resolver,
  );

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

it('calls the port closed when no provider can be reached', async () => {
  expect(await doctorAt(await freePort(), true).isPortClosed()).toBe(true);
});

it('calls the port open when one provider can be reached', async () => {
  const server = await startMailServer();
  ends.push(() => server.close());
  expect(await doctorAt(server.port, true).isPortClosed()).toBe(false);
});

it('does not judge the port when the providers have only private IP addresses', async () => {
  expect(await doctorAt(25, false).isPortClosed()).toBe(false);
});
