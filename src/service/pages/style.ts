/** The style sheet of the pages. It has its digest in its URL, so browsers may keep it for ever. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { compressOnce } from '../files/compressed.ts';
import { chooseEncoding } from '../files/encoding.ts';
import css from './pages.css';

const digest = createHash('sha256').update(css).digest('base64url').slice(0, 12);

export const STYLE_PATH = `/pages-${digest}.css`;

/** Has to be added outside the scope of the pages: it needs no cookie and no database. */
export function serveStyle(app: FastifyInstance): void {
  const bodyIn = compressOnce(Buffer.from(css));
  app.get(STYLE_PATH, async (request, reply) => {
    const encoding = chooseEncoding(request.headers['accept-encoding']?.toString());
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    reply.headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Vary: 'Accept-Encoding',
    });
    return reply.type('text/css; charset=utf-8').send(await bodyIn(encoding));
  });
}
