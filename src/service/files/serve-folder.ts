/** Serves pages from a folder. Reads a file again when it has changed, because authors edit the demo while it runs. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure } from '../core/failures.ts';
import type { Headers } from '../http/security-headers.ts';
import { type CompressedFile, compressOnce } from './compressed-file.ts';
import { chooseEncoding } from './content-encoding.ts';
import { contentTypeOf } from './content-types.ts';
import { matchesEtag } from './etag.ts';
import type { Handler } from './send-file.ts';

/** Completes the HTML files of a folder when they are served. */
export interface Finish {
  /** Changes with everything else that the result depends on. */
  readonly version: string;
  /** @param path of the page in its folder, such as `playground/` */
  apply(html: string, path: string): string;
}

export interface FolderOptions {
  readonly finish?: Finish | undefined;
  /** @returns undefined for files that are not served @default by the extension */
  readonly typeOf?: (path: string) => string | undefined;
  /** Answers for a path without a file. @default leads to a folder's own page, and throws `notFound` for all else */
  readonly otherwise?: (reply: FastifyReply, path: string) => Promise<FastifyReply>;
}

/** @param base the URL path, such as `/reference`. Empty for all URLs without another route */
export function serveFolder(
  app: FastifyInstance,
  base: string,
  folder: string,
  headers: Headers,
  finish?: Finish,
): void {
  const answer = answerFromFolder(folder, headers, { finish });
  if (base === '') app.get('/', answer);
  else app.get(base, async (_request, reply) => reply.redirect(asFolder(base), 302));
  app.get(`${base}/*`, answer);
}

/** For a route that ends with `*`, which is the path in the folder. */
export function answerFromFolder(folder: string, headers: Headers, options: FolderOptions): Handler {
  const { finish, typeOf = contentTypeOf, otherwise } = options;
  const bodyOf = createBodies(finish);
  return async (request, reply) => {
    const path = (request.params as { '*'?: string })['*'] ?? '';
    const file = await findFile(folder, path, typeOf);
    if (typeof file === 'string') {
      if (otherwise) return otherwise(reply, path);
      if (file === 'folder') return reply.redirect(asFolder(path), 302);
      throw new Failure('notFound');
    }
    const encoding = /^(text|application)|svg/.test(file.contentType)
      ? chooseEncoding(request.headers['accept-encoding']?.toString())
      : 'identity';
    const version = isPage(file) && finish ? `-${finish.version}` : '';
    const etag = `W/"${file.mtimeMs.toString(36)}-${file.size.toString(36)}${version}-${encoding}"`;
    reply.headers({ ...headers, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ETag: etag });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return reply.type(file.contentType).send(await (await bodyOf(file, path))(encoding));
  };
}

/** The same URL with a slash at the end. It is relative, because a reverse proxy may serve the folder below a path. */
const asFolder = (path: string): string => `${path.slice(path.lastIndexOf('/') + 1)}/`;

/** Caches the bodies of requested files, in the latest requested version. */
function createBodies(finish?: Finish): (file: ServedFile, path: string) => Promise<CompressedFile> {
  const kept = new Map<string, { readonly version: string; readonly body: Promise<CompressedFile> }>();
  return (file, requested) => {
    const { path, mtimeMs, size } = file;
    const version = `${mtimeMs} ${size}`;
    const found = kept.get(path);
    if (found?.version === version) return found.body;
    const complete = (content: Buffer) =>
      isPage(file) && finish ? Buffer.from(finish.apply(content.toString(), requested)) : content;
    const body = readFile(path).then(complete).then(compressOnce);
    kept.set(path, { version, body });
    // An unreadable file may be readable at the next request.
    body.catch(() => kept.delete(path));
    return body;
  };
}

const isPage = ({ contentType }: ServedFile): boolean => contentType.startsWith('text/html');

interface ServedFile {
  readonly path: string;
  readonly contentType: string;
  readonly mtimeMs: number;
  readonly size: number;
}

/** @returns `nothing` unless it is a plain file of a known type inside the folder, or a folder */
async function findFile(
  folder: string,
  path: string,
  typeOf: (path: string) => string | undefined,
): Promise<ServedFile | 'folder' | 'nothing'> {
  const steps = path.split('/');
  // Plain names only: no parent folders, hidden files, or names with a special meaning in some file systems.
  const isPlain = steps.every((step, index) =>
    step === '' ? index === steps.length - 1 : /^[\w-][\w.-]*$/.test(step),
  );
  if (!isPlain) return 'nothing';
  const wanted = path.endsWith('/') || path === '' ? `${path}index.html` : path;
  try {
    const found = await realpath(join(folder, wanted));
    const stats = await stat(found);
    if (stats.isDirectory()) return 'folder';
    const contentType = typeOf(wanted);
    const isInside = found.startsWith((await realpath(folder)) + sep);
    if (stats.isFile() && isInside && contentType)
      return { path: found, contentType, mtimeMs: Math.trunc(stats.mtimeMs), size: stats.size };
  } catch {
    // Missing and unreadable files get the same response.
  }
  return 'nothing';
}
