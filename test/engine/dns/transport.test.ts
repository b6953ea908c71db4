import { expect, it } from 'vitest';
import { exchange } from '../../../src/engine/dns/transport.ts';
import { startDnsServer } from '../world/dns-server.ts';

const QUESTION = { name: 'example.test', type: 'A' } as const;
const NOTHING = { answer: { lookup: { kind: 'no-answer' }, ttl: 0 }, server: undefined };

it('asks no server if there is none, or when the time is over', async () => {
  const server = await startDnsServer({ 'example.test': { A: ['192.0.2.1'] } });
  const servers = [{ ip: '127.0.0.1', port: server.port }];
  expect(await exchange(QUESTION, [], new AbortController().signal)).toEqual(NOTHING);
  expect(await exchange(QUESTION, servers, AbortSignal.abort())).toEqual(NOTHING);
  await server.close();
  expect(server.questions).toEqual([]);
});

it('names the server that has answered', async () => {
  const server = await startDnsServer({ 'example.test': { A: ['192.0.2.1'], ttl: 77 } });
  const servers = [{ ip: '127.0.0.1', port: server.port }];
  expect(await exchange(QUESTION, servers, AbortSignal.timeout(4000))).toEqual({
    answer: { lookup: { kind: 'found', records: ['192.0.2.1'] }, ttl: 77 },
    server: servers[0],
  });
  await server.close();
});
