import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompress, brotliDecompressSync, gunzipSync, gzip } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createFolder } from '../../folder.ts';
import { startService } from '../testing.ts';

vi.mock(import('node:zlib'), async (importOriginal) => {
  const zlib = await importOriginal();
  const watched = { brotliCompress: vi.fn(zlib.brotliCompress), gzip: vi.fn(zlib.gzip) };
  return { ...zlib, ...watched } as unknown as typeof zlib;
});

/** Text in which the best quality finds more than the others do. */
const RULES = Array.from({ length: 400 }, (_, index) => `.field-${index % 37}{margin:${index % 11}px}`);
const TEXT = RULES.join('');
const BEST_BROTLI = 11;
const BEST_GZIP = 9;

const { path: folder } = createFolder();
const file = join(folder, 'style.css');

const serve = () =>
  startService({ demoFolder: folder, widgetFiles: [{ path: 'widget.js', content: Buffer.from(TEXT) }] });
const compressions = () => vi.mocked(brotliCompress).mock.calls.length + vi.mocked(gzip).mock.calls.length;

beforeEach(() => {
  writeFileSync(file, TEXT);
  vi.mocked(brotliCompress).mockClear();
  vi.mocked(gzip).mockClear();
});

describe.each([
  ['a page’s file', '/style.css'],
  ['the script', '/v2/'],
])('%s', (_, url) => {
  const get = (service: ReturnType<typeof serve>, encoding: string, method: 'GET' | 'HEAD' = 'GET') =>
    service.ask({ method, url, headers: { 'accept-encoding': encoding } });

  it('is compressed once, not for each request', async () => {
    const service = serve();
    expect(compressions()).toBe(0);
    const answers = await Promise.all(['br', 'br', 'gzip', 'gzip'].map((encoding) => get(service, encoding)));
    answers.push(await get(service, 'br'), await get(service, 'br', 'HEAD'));
    expect(compressions()).toBe(2);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
    expect(answers[4]!.rawPayload).toEqual(answers[0]!.rawPayload);
  });

  it('is as small as who asks can read it, at the best quality', async () => {
    const service = serve();
    const [brotli, gzipped] = [await get(service, 'gzip, deflate, br, zstd'), await get(service, 'gzip')];
    const zlib = await vi.importActual<typeof import('node:zlib')>('node:zlib');
    const { brotliCompressSync, constants, gzipSync } = zlib;
    const quality = { [constants.BROTLI_PARAM_QUALITY]: BEST_BROTLI };
    const params = { ...quality, [constants.BROTLI_PARAM_SIZE_HINT]: TEXT.length };
    const best = brotliCompressSync(TEXT, { params });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotli.rawPayload.length).toBe(best.length);
    expect(gzipped.rawPayload.length).toBe(gzipSync(TEXT, { level: BEST_GZIP }).length);
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(TEXT);
    expect(gunzipSync(gzipped.rawPayload).toString()).toBe(TEXT);
  });

  it('has the headers of GET in the answer to HEAD', async () => {
    const service = serve();
    for (const encoding of ['br', 'gzip', '']) {
      const [got, head] = [await get(service, encoding), await get(service, encoding, 'HEAD')];
      expect([head.statusCode, head.body]).toEqual([200, '']);
      const { date: _, ...headers } = got.headers;
      expect(head.headers).toMatchObject(headers);
      expect(headers).toMatchObject({
        vary: 'Accept-Encoding',
        'content-length': String(got.rawPayload.length),
        etag: expect.stringContaining(encoding || 'identity'),
      });
      expect(headers['content-encoding']).toBe(encoding || undefined);
      if (!encoding) expect(got.body).toBe(TEXT);
    }
  });
});

it('sends a page’s file as it is now when it has been edited since', async () => {
  const service = serve();
  const get = () => service.ask({ url: '/style.css', headers: { 'accept-encoding': 'br' } });
  const before = await get();
  writeFileSync(file, 'a {}');
  utimesSync(file, new Date(0), new Date(0));
  const after = await get();
  expect(brotliDecompressSync(after.rawPayload).toString()).toBe('a {}');
  expect(after.headers.etag).not.toBe(before.headers.etag);
});
