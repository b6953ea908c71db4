/** Sends a file that stays the same while the service runs: compressed, and only to those who lack it. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Headers } from '../http/security-headers.ts';
import { type CompressedFile, compressOnce } from './compressed-file.ts';
import { chooseEncoding } from './content-encoding.ts';
import { matchesEtag } from './etag.ts';

interface Kept {
  readonly bodyIn: CompressedFile;
  readonly digest: string;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function answerWith(content: Buffer, contentType: string, headers: Headers): Handler {
  const kept = keep(content);
  return (request, reply) => send(kept, contentType, headers, request, reply);
}

/** @param make is called at the first request. If it fails, the next request tries again. */
export function answerWhenMade(make: () => Promise<Buffer>, contentType: string, headers: Headers): Handler {
  let kept: Promise<Kept> | undefined;
  return async (request, reply) => {
    kept ??= make().then(keep);
    const made = await kept.catch((error) => {
      kept = undefined;
      throw error;
    });
    return send(made, contentType, headers, request, reply);
  };
}

function keep(content: Buffer): Kept {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return { bodyIn: compressOnce(content), digest };
}

async function send(
  { bodyIn, digest }: Kept,
  contentType: string,
  headers: Headers,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers['accept-encoding']?.toString());
  const etag = `"${digest}-${encoding}"`;
  reply.headers({ ...headers, Vary: 'Accept-Encoding', ETag: etag });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.type(contentType).send(await bodyIn(encoding));
}
