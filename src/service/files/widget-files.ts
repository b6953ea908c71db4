/** Serves the built widget below `/v2/`, and each version below its own URL, such as `/v2.0.0/`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentTypeOf } from './content-types.ts';
import { answerWhenMade, answerWith } from './send-file.ts';

/** A file of a build, by its path below `/v2/` or `/v2.0.0/`. */
export interface WidgetFile {
  readonly path: string;
  /** A function if the build still makes it. */
  readonly content: Buffer | (() => Promise<Buffer>);
}

/** The files of each released build, by version. */
export type WidgetReleases = Readonly<Record<string, readonly WidgetFile[]>>;

/** The URL stays the same while the file changes, so browsers check for a new version after an hour. */
const PRESENT = 'public, max-age=3600';
/** A released file never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** An unreleased build can change without a new version, so browsers check at each use. */
const UNRELEASED = 'no-cache';

/**
 * @param files the current build. It must have `widget.js`, which `/v2/` itself also serves. @param version the current
 * build's version. It has a URL even if this build is not released.
 */
export function serveWidget(
  app: FastifyInstance,
  files: readonly WidgetFile[],
  releases: WidgetReleases = {},
  version?: string,
): void {
  serveBelow(app, '/v2', files, PRESENT);
  for (const [released, releasedFiles] of Object.entries(releases)) {
    serveBelow(app, `/v${released}`, releasedFiles, FOR_EVER);
  }
  if (version !== undefined && !Object.hasOwn(releases, version)) {
    serveBelow(app, `/v${version}`, files, UNRELEASED);
  }
}

function serveBelow(
  app: FastifyInstance,
  base: string,
  files: readonly WidgetFile[],
  cacheControl: string,
): void {
  for (const { path, content } of files) {
    const contentType = contentTypeOf(path) ?? 'application/octet-stream';
    const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': cacheControl };
    const answer = Buffer.isBuffer(content)
      ? answerWith(content, contentType, headers)
      : answerWhenMade(content, contentType, headers);
    const urls = path === 'widget.js' ? [base, `${base}/`, `${base}/widget.js`] : [`${base}/${path}`];
    for (const url of urls) {
      app.get(url, answer);
      app.options(url, answerOptions);
    }
  }
}

async function answerOptions(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).headers({ 'Access-Control-Allow-Origin': '*', Allow: 'GET, HEAD, OPTIONS' }).send();
}
