/** Chooses how to send a file by the `Accept-Encoding` of a request (RFC 9110, section 12.5.3). */

export type Encoding = 'br' | 'gzip' | 'identity';

/** The encoding that the client prefers. Among equals, the smallest. */
export function chooseEncoding(acceptEncoding = ''): Encoding {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (name) weights.set(name, Number(weight) || 0);
  }
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const offers = (['br', 'gzip'] as const).filter((encoding) => weightOf(encoding) > 0);
  const best = offers.sort((a, b) => weightOf(b) - weightOf(a))[0];
  if (!best) return 'identity';
  // Uncompressed only if the client prefers that.
  return (weights.get('identity') ?? 0) > weightOf(best) ? 'identity' : best;
}
