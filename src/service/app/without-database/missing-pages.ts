/** The pages that need a database, in a service without one: each says so, because links and bookmarks lead there. */
import type { FastifyPluginAsync } from 'fastify';
import { Failure } from '../../core/failures.ts';
import { sendErrorPage } from '../../pages/error-page.ts';
import { setPageHeaders } from '../../pages/page-headers.ts';
import { serveStyle } from '../../pages/page-style.ts';
import type { Site } from '../../pages/page-urls.ts';

const PATHS = [
  ...['/login', '/login/link/*', '/invitation/*', '/oauth/device'],
  ...['/dashboard/', '/dashboard/*', '/account/apps'],
];

export const databaseMissingPages: FastifyPluginAsync<{ readonly site: Site }> = async (app, { site }) => {
  serveStyle(app);
  for (const path of PATHS) {
    app.get(path, async (_request, reply) => {
      setPageHeaders(reply);
      return sendErrorPage(reply, site, new Failure('databaseMissing'));
    });
  }
};
