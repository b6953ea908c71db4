/** Serves the built widget below `/v2/`: compressed once, when the service starts. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentTypeOf } from './content-types.ts';
import { chooseEncoding, type Encoding } from './encoding.ts';
import { matchesEtag } from './etag.ts';

/** A file of the build, by its path below `/v2/`. */
export interface WidgetFile {
  readonly path: string;
  readonly content: Buffer;
}

/** The address is stable while the file behind it changes: an hour later browsers ask whether it has. */
const CACHE_CONTROL = 'public, max-age=3600';
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': CACHE_CONTROL,
  Vary: 'Accept-Encoding',
};

/** @param files must hold `widget.js`, which is also served at `/v2/` itself */
export function serveWidget(app: FastifyInstance, files: readonly WidgetFile[]): void {
  for (const { path, content } of files) {
    const answer = answerWith(content, contentTypeOf(path) ?? 'application/octet-stream');
    const urls = path === 'widget.js' ? ['/v2', '/v2/', '/v2/widget.js'] : [`/v2/${path}`];
    for (const url of urls) {
      app.get(url, answer);
      app.options(url, answerOptions);
    }
  }
}

function answerWith(content: Buffer, contentType: string) {
  const bodies: Record<Encoding, Buffer> = {
    // Quality 9 is within 3 % of the best, for a tenth of the time at the start.
    br: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: gzipSync(content, { level: 9 }),
    identity: content,
  };
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const encoding = chooseEncoding(request.headers['accept-encoding']?.toString());
    const etag = `"${digest}-${encoding}"`;
    reply.headers(HEADERS).header('ETag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return reply.type(contentType).send(bodies[encoding]);
  };
}

async function answerOptions(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).headers({ 'Access-Control-Allow-Origin': '*', Allow: 'GET, HEAD, OPTIONS' }).send();
}
