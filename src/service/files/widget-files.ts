/**
 * Serves the built widget below `/v2/`, and each release below an address of its own: compressed once, when the
 * service starts.
 */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentTypeOf } from './content-types.ts';
import { chooseEncoding, type Encoding } from './encoding.ts';
import { matchesEtag } from './etag.ts';

/** A file of a build, by its path below `/v2/` or `/v2.0.0/`. */
export interface WidgetFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Files of each release that has an address of its own, by version. */
export type WidgetReleases = Readonly<Record<string, readonly WidgetFile[]>>;

/** The address is stable while the file behind it changes: an hour later browsers ask whether it has. */
const PRESENT = 'public, max-age=3600';
/** What a page holds to its `integrity` never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** @param files must hold `widget.js`, which is also served at `/v2/` itself */
export function serveWidget(
  app: FastifyInstance,
  files: readonly WidgetFile[],
  releases: WidgetReleases = {},
): void {
  serveBelow(app, '/v2', files, PRESENT);
  for (const [version, released] of Object.entries(releases)) {
    serveBelow(app, `/v${version}`, released, FOR_EVER);
  }
}

function serveBelow(
  app: FastifyInstance,
  base: string,
  files: readonly WidgetFile[],
  cacheControl: string,
): void {
  for (const { path, content } of files) {
    const answer = answerWith(content, contentTypeOf(path) ?? 'application/octet-stream', cacheControl);
    const urls = path === 'widget.js' ? [base, `${base}/`, `${base}/widget.js`] : [`${base}/${path}`];
    for (const url of urls) {
      app.get(url, answer);
      app.options(url, answerOptions);
    }
  }
}

function answerWith(content: Buffer, contentType: string, cacheControl: string) {
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': cacheControl,
    Vary: 'Accept-Encoding',
  };
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
    reply.headers(headers).header('ETag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return reply.type(contentType).send(bodies[encoding]);
  };
}

async function answerOptions(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).headers({ 'Access-Control-Allow-Origin': '*', Allow: 'GET, HEAD, OPTIONS' }).send();
}
