/** A long list that can no longer be read once its reading has begun. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEngineFacts } from '../../../src/engine/facts/operator-lists.ts';

vi.mock('node:fs/promises', async (load) => ({ ...(await load<object>()), readFile: vi.fn() }));

const PUBLISHED = {
  disposableDomains: new Set<string>(),
  freeDomains: new Set<string>(),
  roleNames: new Set<string>(),
  disposableMailServers: new Set<string>(),
};

it('leaves the earlier entries, and is named once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lists-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'block.txt');
  const faults = vi.fn();
  let now = 0;
  writeFileSync(file, 'kept.example');
  const facts = createEngineFacts(PUBLISHED, folder, faults, () => now);
  expect(facts.isBlocked('kept.example')).toBe(true);
  writeFileSync(file, '# A comment\n'.repeat(10_000));
  vi.mocked(readFile).mockRejectedValue(Object.assign(new Error('i/o error'), { code: 'EIO' }));
  for (let look = 1; look <= 3; look += 1) {
    now += 1000;
    expect(facts.isBlocked('kept.example')).toBe(true);
    await turn();
    expect(readFile).toHaveBeenCalledTimes(look);
  }
  expect(faults).toHaveBeenCalledExactlyOnceWith('block.txt', 'The file cannot be read (EIO).');
});
