/** Serves texts that are part of the build: style sheets, scripts and the logo. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { contentTypeOf } from '../files/content-types.ts';
import { answerWith } from '../files/send-file.ts';

type Extension = 'css' | 'js' | 'svg';

/** Changes with the content. */
export const versionOf = (content: string): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 12);

/** A path that changes with the content. */
export const pathOf = (name: string, extension: Extension, content: string): string =>
  `/${name}-${versionOf(content)}.${extension}`;

/** Serves a text at a path with its digest, so that browsers may keep it for ever. @returns the path */
export function serveForEver(
  app: FastifyInstance,
  name: string,
  extension: Extension,
  content: string,
): string {
  const path = pathOf(name, extension, content);
  serveText(app, path, content, 'public, max-age=31536000, immutable');
  return path;
}

/** Serves a text at a path that stays the same. Browsers ask at each use whether it has changed. */
export const serveAt = (app: FastifyInstance, path: string, content: string): void =>
  serveText(app, path, content, 'no-cache');

function serveText(app: FastifyInstance, path: string, content: string, cacheControl: string): void {
  const headers = { 'Cache-Control': cacheControl, 'Cross-Origin-Resource-Policy': 'same-origin' };
  app.get(path, answerWith(Buffer.from(content), contentTypeOf(path)!, headers));
}
