/** Tells whether a client has a file already. */

/** Whether an `If-None-Match` header names this tag: weak comparison, as RFC 9110 has it for this header. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const strong = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag));
}
