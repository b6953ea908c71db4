/** The style sheet of the service's own pages, on top of the one that all pages share. */
import type { FastifyInstance } from 'fastify';
import { pathOf, serveForEver } from './build-texts.ts';
import css from './pages.css';

export const STYLE_PATH = pathOf('pages', 'css', css);

/** Has to be added outside the scope of the pages: it needs no cookie and no database. */
export const serveStyle = (app: FastifyInstance): string => serveForEver(app, 'pages', 'css', css);
