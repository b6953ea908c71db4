import * as crypto from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { createService } from '../../../src/service/app.ts';
import type { KeyEntry } from '../../../src/service/config.ts';
import { createKeyRing } from '../../../src/service/keys/key-ring.ts';
import { collectGarbage } from '../garbage.ts';
import { EVIL, KEYS } from '../testing.ts';

vi.mock('node:crypto', { spy: true });

describe('the key ring', () => {
  it('finds every key by itself, and nothing by anything else', () => {
    const ring = createKeyRing(KEYS);
    const found = KEYS.map(({ key }) => ring.find(key));
    expect(found.map((key) => key?.kind)).toEqual(KEYS.map(({ kind }) => kind));
    expect(found.map((key) => key?.mode)).toEqual(KEYS.map(({ key }) => key.slice(0, 4)));
    expect(new Set(found.map((key) => key?.id)).size).toBe(KEYS.length);
    const others = [
      '',
      'test_',
      'test_publi',
      'test_public ',
      'TEST_PUBLIC',
      'test_public\0',
      'x'.repeat(100_000),
    ];
    expect(others.map((other) => ring.find(other))).toEqual(others.map(() => undefined));
  });

  it('tells a page that any key trusts from all others', () => {
    const ring = createKeyRing(KEYS);
    const origins = ['https://shop.example', 'https://www.other.example', EVIL, 'null', ''];
    expect(origins.map(ring.anyTrustsOrigin)).toEqual([true, true, false, false, false]);
  });

  it('trusts no page with a key that names none', () => {
    const ring = createKeyRing([{ key: 'test_nowhere', kind: 'public' }]);
    expect(ring.find('test_nowhere')).toMatchObject({ kind: 'public' });
    expect(ring.anyTrustsOrigin('https://shop.example')).toBe(false);
  });

  it('compares with each key it has, in constant time, whichever is asked for', () => {
    const ring = createKeyRing(KEYS);
    const compare = vi.mocked(crypto.timingSafeEqual);
    for (const asked of [KEYS[0]!.key, KEYS.at(-1)!.key, 'test_unknown', '']) {
      compare.mockClear();
      ring.find(asked);
      expect(compare).toHaveBeenCalledTimes(KEYS.length);
    }
  });

  it('keeps nothing of a key that another process could know it by', () => {
    const kept = () => {
      const compare = vi.mocked(crypto.timingSafeEqual);
      compare.mockClear();
      createKeyRing(KEYS).find('test_unknown');
      return compare.mock.calls.map(([digest]) => Buffer.from(digest as Buffer).toString('hex'));
    };
    const [once, again] = [kept(), kept()];
    expect(once).toHaveLength(KEYS.length);
    expect(once.filter((digest) => again.includes(digest))).toEqual([]);
    const plain = KEYS.map(({ key }) => crypto.createHash('sha256').update(key).digest('hex'));
    expect(once.filter((digest) => plain.includes(digest))).toEqual([]);
  });

  it('makes one digest of the key for each request', async () => {
    const app = createService({ keys: KEYS });
    await app.ready();
    const digest = vi.spyOn(crypto, 'hash');
    const ways = [
      { url: '/v1/verify?api_key=test_private&email=jane@company.example' },
      {
        url: '/v1/verify?email=jane@company.example',
        headers: { authorization: 'Bearer test_private' },
      },
      {
        url: '/v1/verify',
        method: 'POST',
        payload: { api_key: 'test_private', email: 'jane@company.example' },
      },
    ] as const;
    for (const way of ways) {
      digest.mockClear();
      expect((await app.inject(way)).statusCode).toBe(200);
      expect(digest.mock.calls.filter(([, data]) => String(data).endsWith('test_private'))).toHaveLength(1);
    }
    digest.mockRestore();
    await app.close();
  });

  it('lets go of the keys themselves, which the running service needs no more', async () => {
    const { app, held } = (() => {
      const keys = structuredClone(KEYS) as KeyEntry[];
      return { app: createService({ keys }), held: keys.map((entry) => new WeakRef(entry)) };
    })();
    await app.ready();
    await collectGarbage();
    expect(held.filter((entry) => entry.deref() !== undefined)).toEqual([]);
    const answer = await app.inject('/v1/verify?api_key=test_private&email=jane@company.example');
    expect(answer.statusCode).toBe(200);
    await app.close();
  });
});
