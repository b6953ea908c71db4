/** Serves the built widget below `/v2/`, and each version below its own URL, such as `/v2.0.0/`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import { contentTypeOf } from './content-types.ts';
import { answerWhenMade, answerWith, type Handler } from './send-file.ts';

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

/** The second file of the widget. A script from a browser's cache asks for the file of its own version with `?v=`. */
const FACE = 'email-verify-widget-status.js';

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
  const faces = new Map<string, Handler>();
  for (const [released, releasedFiles] of Object.entries(releases))
    serveBelow(app, `/v${released}`, releasedFiles, FOR_EVER, (face) => faces.set(released, face));
  if (version !== undefined && !Object.hasOwn(releases, version))
    serveBelow(app, `/v${version}`, files, UNRELEASED, (face) => faces.set(version, face));
  serveBelow(app, '/v2', files, PRESENT, (face) => faces.set('', face));
  app.get(`/v2/${FACE}`, async (request, reply) => {
    const asked = new URL(request.url, 'http://service').searchParams.get('v') ?? '';
    const face = faces.get(asked);
    // Another version's file would not have the hash that the script expects.
    if (!face) throw new Failure('notFound');
    return face(request, reply);
  });
}

/** @param takeFace gets what answers for the face. The URL of a version serves it too, but `/v2/` depends on the query */
function serveBelow(
  app: FastifyInstance,
  base: string,
  files: readonly WidgetFile[],
  cacheControl: string,
  takeFace: (face: Handler) => void,
): void {
  for (const { path, content } of files) {
    const contentType = contentTypeOf(path) ?? 'application/octet-stream';
    const hasMap = files.some((file) => file.path === `${path}.map`);
    const headers = {
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': cacheControl,
      ...(hasMap ? { SourceMap: `${base}/${path}.map` } : {}),
    };
    const answer = Buffer.isBuffer(content)
      ? answerWith(content, contentType, headers)
      : answerWhenMade(content, contentType, headers);
    if (path === FACE) takeFace(answer);
    const urls = path === 'widget.js' ? [base, `${base}/`, `${base}/widget.js`] : [`${base}/${path}`];
    for (const url of urls) {
      if (url !== `/v2/${FACE}`) app.get(url, answer);
      app.options(url, answerOptions);
    }
  }
}

async function answerOptions(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).headers({ 'Access-Control-Allow-Origin': '*', Allow: 'GET, HEAD, OPTIONS' }).send();
}
