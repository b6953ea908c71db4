/** The style sheet of the pages, and what else has its digest in its URL, so that browsers may keep it for ever. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { compressOnce } from '../files/compressed.ts';
import { chooseEncoding } from '../files/encoding.ts';
import css from './pages.css';

const CONTENT_TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

const pathOf = (name: string, extension: string, content: string): string =>
  `/${name}-${createHash('sha256').update(content).digest('base64url').slice(0, 12)}.${extension}`;

export const STYLE_PATH = pathOf('pages', 'css', css);

/** Has to be added outside the scope of the pages: it needs no cookie and no database. */
export const serveStyle = (app: FastifyInstance): string => serveForEver(app, 'pages', 'css', css);

/** @returns the path that it is served at */
export function serveForEver(
  app: FastifyInstance,
  name: string,
  extension: keyof typeof CONTENT_TYPES,
  content: string,
): string {
  const path = pathOf(name, extension, content);
  const bodyIn = compressOnce(Buffer.from(content));
  app.get(path, async (request, reply) => {
    const encoding = chooseEncoding(request.headers['accept-encoding']?.toString());
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    reply.headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Vary: 'Accept-Encoding',
    });
    return reply.type(CONTENT_TYPES[extension]).send(await bodyIn(encoding));
  });
  return path;
}
