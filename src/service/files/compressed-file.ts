/** The compressed forms of a file. Each is created once, at the best quality, on the first request. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './content-encoding.ts';

// The asynchronous functions run in other threads, so the service keeps answering requests.
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const COMPRESS: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) =>
    compressBrotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => compressGzip(content, { level: constants.Z_BEST_COMPRESSION }),
  identity: async (content) => content,
};

/** @returns the file's body in an encoding. Requests that arrive during the compression wait for the same one. */
export type CompressedFile = (encoding: Encoding) => Promise<Buffer>;

export function compressOnce(content: Buffer): CompressedFile {
  const bodies = new Map<Encoding, Promise<Buffer>>();
  return (encoding) => {
    const body = bodies.get(encoding) ?? COMPRESS[encoding](content);
    bodies.set(encoding, body);
    return body;
  };
}
