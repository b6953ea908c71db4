import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { keepHeapSmall } from '../../../src/service/app/heap.ts';

it('sets a flag that V8 knows, because V8 says nothing about others', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(known).toContain('--heap-growing-percent');
  expect(keepHeapSmall).not.toThrow();
});
