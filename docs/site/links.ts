/** Where a link of a Markdown file leads on the site: to a page, to a file that the site serves, or to the repository. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path/posix';

export interface Places {
  /** The URL of the page that a file becomes, below `/docs/`. */
  pageOf(file: string): string | undefined;
  /** @returns undefined if the file is not Markdown */
  anchorsOf(file: string): ReadonlySet<string> | undefined;
  /** With a slash at the end. */
  readonly repository: string;
}

/** A URL, with the file that the site has to serve for it, or what is wrong with the link. */
export type Target = { readonly url: string; readonly serves?: string } | { readonly fault: string };

/** Of these folders, the site serves the files that pages link to: readers copy them. */
const SERVED = /^(docs\/pictures|deploy)\//;

/** @param href as the file has it @param file with the link, from the top folder, like all paths here */
export function resolveLink(href: string, file: string, places: Places): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { url: href };
  const [path = '', anchor] = decodeURI(href).split('#');
  const target = path === '' ? file : normalize(join(dirname(file), path));
  const hash = anchor === undefined ? '' : `#${encodeURI(anchor)}`;
  if (path.startsWith('/') || target.startsWith('..') || !existsSync(target))
    return { fault: `a link to ${href}, which does not exist` };
  if (anchor !== undefined && places.anchorsOf(target)?.has(anchor) === false)
    return { fault: `a link to ${href}, a heading that does not exist` };
  const from = places.pageOf(file)!;
  const page = places.pageOf(target);
  if (target === file) return { url: hash };
  if (page !== undefined) return { url: `${steps(from, page)}${hash}` };
  const isFolder = statSync(target).isDirectory();
  if (!isFolder && SERVED.test(target)) {
    return { url: steps(from, servedAt(target)), serves: target };
  }
  // The branch that the repository shows first, whatever its name.
  const clean = target.replace(/\/$/, '');
  return { url: `${places.repository}${isFolder ? 'tree' : 'blob'}/HEAD/${clean}${hash}` };
}

/** Below `/docs/`. */
export const servedAt = (file: string): string =>
  file.startsWith('docs/') ? file.slice('docs/'.length) : `files/${file}`;

/** A relative URL, which is right below any path that a reverse proxy serves the pages at. */
function steps(from: string, to: string): string {
  const way = relative(`/${from}`, `/${to}`);
  return `${way}${to.endsWith('/') ? '/' : ''}`;
}
