/** Where conversations begin: at the machine's own IP addresses, or at SOCKS5 proxies. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EngineOptions } from '../../src/engine/options.ts';
import { stopClockInFile } from './world/clock.ts';
import { type EngineInWorld, engineIn, told } from './world/engine.ts';
import { type SocksScript, type SocksServer, startSocksServer } from './world/socks-server.ts';
import { startWorld, type World } from './world/world.ts';

stopClockInFile();
let world: World;
beforeAll(async () => {
  world = await startWorld({ 'good.test': {}, 'grey.test': { greylist: true } });
});
afterAll(() => world.close());

function open(options: Partial<EngineOptions>): EngineInWorld {
  const engine = engineIn(world, options);
  onTestFinished(() => engine.close());
  return engine;
}
async function socks(script: SocksScript = {}): Promise<SocksServer> {
  const proxy = await startSocksServer(script);
  onTestFinished(() => proxy.close());
  return proxy;
}

describe('localAddresses', () => {
  const localAddresses = ['127.0.0.21', '127.0.0.22', '127.0.0.23'];

  it('are used in turn, and no others', async () => {
    const engine = open({ localAddresses });
    const before = world.server('good.test').connections;
    await Promise.all(Array.from({ length: 30 }, (_, index) => engine.check(`jane${index}@good.test`)));
    const used = world.server('good.test').clients.slice(before);
    expect([...new Set(used)].sort()).toEqual(localAddresses);
  });

  it('stay the same for an address, so that a greylist lets it pass', async () => {
    for (const address of ['a@grey.test', 'b@grey.test', 'c@grey.test', 'd@grey.test']) {
      expect((await open({ localAddresses }).check(address)).reason).toBe('unavailable_smtp');
      expect((await open({ localAddresses }).check(address)).reason).toBe('accepted_email');
    }
  });

  it.each([
    ['that the machine does not have', '192.0.2.77'],
    ['of another family', '::1'],
  ])('%s leave the address unknown', async (_, localAddress) => {
    const engine = open({ localAddresses: [localAddress] });
    expect(await engine.check('jane@good.test')).toMatchObject({ reason: 'no_connect', state: 'unknown' });
  });
});

describe('socksProxies', () => {
  it('carry the conversation to the IP address that was resolved', async () => {
    const proxy = await socks({ user: 'us/er', password: 'se:cret@1' });
    const engine = open({ socksProxies: [`socks5://us%2Fer:se%3Acret%401@127.0.0.1:${proxy.port}`] });
    const { result, evidence } = await engine.verify('jane@good.test', { acceptAll: true });
    expect(result).toMatchObject({ reason: 'low_deliverability', accept_all: true });
    const { ip, port } = world.server('good.test');
    expect(proxy.destinations).toEqual([`${ip}:${port}`]);
    expect(told(evidence)).toContain(`127.0.0.1:${proxy.port}`);
    expect(told(evidence)).not.toMatch(/cret|us\/er|us%2Fer/);
  });

  it.each<[string, SocksScript]>([
    ['refuses the password', { user: 'user', password: 'other' }],
    ['cannot connect', { refuseWith: 5 }],
    ['does not allow it', { refuseWith: 2 }],
  ])('that %s leave the address unknown', async (_, script) => {
    const proxy = await socks(script);
    const engine = open({ socksProxies: [`socks5://user:secret@127.0.0.1:${proxy.port}`] });
    const { result, evidence } = await engine.verify('jane@good.test');
    expect(result).toMatchObject({ reason: 'no_connect', state: 'unknown' });
    expect(told(evidence)).not.toContain('secret');
  });

  it('that do not listen leave the address unknown', async () => {
    const proxy = await startSocksServer();
    await proxy.close();
    const engine = open({ socksProxies: [`socks5://127.0.0.1:${proxy.port}`] });
    expect(await engine.check('jane@good.test')).toMatchObject({ reason: 'no_connect', state: 'unknown' });
  });

  it.each(['greeting', 'password', 'connect'] as const)(
    'that are silent at the %s end in time',
    async (silentAt) => {
      const proxy = await socks({ user: 'user', password: 'secret', silentAt });
      const engine = open({ socksProxies: [`socks5://user:secret@127.0.0.1:${proxy.port}`] });
      const result = await engine.check('jane@good.test', { timeoutMs: 300 });
      expect(result.state).toBe('unknown');
      expect(['no_connect', 'timeout']).toContain(result.reason);
      expect(result.duration).toBe(0.3);
    },
  );
});
