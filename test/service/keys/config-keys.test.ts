import crypto from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { createService } from '../../../src/service/app/web.ts';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import { createConfigKeys, idOf } from '../../../src/service/keys/config-keys.ts';
import { settingsWith } from '../support/deps.ts';
import { EVIL, KEYS } from '../testing.ts';

describe('the keys of the config', () => {
  it('finds every key by itself, and nothing by anything else', () => {
    const ring = createConfigKeys(KEYS);
    const found = KEYS.map(({ key }) => ring.find(key));
    expect(found.map((key) => key?.kind)).toEqual(KEYS.map(({ kind }) => kind));
    expect(found.map((key) => key?.mode)).toEqual(KEYS.map(({ key }) => key.slice(0, 4)));
    expect(new Set(found.map((key) => key?.id)).size).toBe(KEYS.length);
    const similar = ['test_', 'test_publi', 'test_public ', 'TEST_PUBLIC', 'test_public\0'];
    for (const other of ['', ...similar, 'x'.repeat(100_000)]) expect(ring.find(other)).toBeUndefined();
  });

  it('tells a page that any key trusts from all others', () => {
    const ring = createConfigKeys(KEYS);
    const origins = ['https://shop.example', 'https://www.other.example', EVIL, 'null', ''];
    expect(origins.map(ring.anyTrustsOrigin)).toEqual([true, true, false, false, false]);
  });

  it('trusts no page with a key that names none', () => {
    const ring = createConfigKeys([{ key: 'test_nowhere', kind: 'public' }]);
    expect(ring.find('test_nowhere')).toMatchObject({ kind: 'public' });
    expect(ring.anyTrustsOrigin('https://shop.example')).toBe(false);
  });

  it('names a key the same at every start, wherever it stands', () => {
    const ids = (entries: readonly KeyEntry[]) =>
      entries.map(({ key }) => createConfigKeys(entries).find(key)?.id);
    expect(ids(KEYS)).toEqual(KEYS.map(({ key }) => idOf(key)));
    const backwards = [...KEYS].reverse();
    expect(ids(backwards)).toEqual(ids(KEYS).reverse());
    expect(ids(KEYS)[0]).toMatch(/^config_[0-9a-f]{8}$/);
  });

  it('knows a key by a digest that no other process can make', () => {
    const digests = () => {
      const hash = vi.spyOn(crypto, 'hash');
      createConfigKeys(KEYS);
      const made = KEYS.flatMap(({ key }) => {
        const index = hash.mock.calls.findIndex(
          ([, data]) => String(data).endsWith(key) && !String(data).startsWith('id of '),
        );
        return hash.mock.results[index]!.value as string;
      });
      hash.mockRestore();
      return made;
    };
    const [once, again] = [digests(), digests()];
    expect(once.filter((digest) => again.includes(digest))).toEqual([]);
    const plain = KEYS.map(({ key }) => crypto.createHash('sha256').update(key).digest('hex'));
    expect(once.filter((digest) => plain.includes(digest))).toEqual([]);
  });

  it('makes one digest of the key for each request', async () => {
    const app = createService({ keys: KEYS, settings: settingsWith() });
    await app.ready();
    const digest = vi.spyOn(crypto, 'hash');
    const payload = { api_key: 'test_private', email: 'jane@company.example' };
    const ways = [
      { url: '/v1/verify?api_key=test_private&email=jane@company.example' },
      { url: '/v1/verify?email=jane@company.example', headers: { authorization: 'Bearer test_private' } },
      { url: '/v1/verify', method: 'POST', payload },
    ] as const;
    for (const way of ways) {
      digest.mockClear();
      expect((await app.inject(way)).statusCode).toBe(200);
      expect(digest.mock.calls.filter(([, data]) => String(data).endsWith('test_private'))).toHaveLength(1);
    }
    digest.mockRestore();
    await app.close();
  });
});
