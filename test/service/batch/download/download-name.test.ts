import { expect, it } from 'vitest';
import {
  createDownloadName,
  downloadUrl,
  nameOfFile,
} from '../../../../src/service/batch/download/download-name.ts';

it('makes names of 256 random bits', () => {
  const names = Array.from({ length: 100 }, createDownloadName);
  expect(names.every((name) => /^[\w-]{43}$/.test(name))).toBe(true);
  expect(new Set(names).size).toBe(100);
});

it('makes a URL that leads back to the name, below any path', () => {
  const name = createDownloadName();
  const url = downloadUrl('https://verify.example/api', name);
  expect(url).toBe(`https://verify.example/api/download/${name}.zip`);
  expect(nameOfFile(url.split('/').at(-1)!)).toBe(name);
});

it.each([
  '',
  '.zip',
  `${'a'.repeat(42)}.zip`,
  `${'a'.repeat(44)}.zip`,
  'a'.repeat(43),
  `${'é'.repeat(43)}.zip`,
])('takes %j for no name', (file) => {
  expect(nameOfFile(file)).toBeUndefined();
});
