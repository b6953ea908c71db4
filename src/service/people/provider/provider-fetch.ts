/** Sends requests to the provider within limits. It may be slow, broken or hostile. */
import { isThisMachine } from '../../config/sections/oidc-section.ts';

export const PROVIDER_LIMITS = {
  /** For one request with its whole response. */
  requestMs: 5_000,
  /** For all requests of one page. */
  pageMs: 10_000,
  /** Metadata and keys of large providers have some 20 KiB. */
  bytes: 256 * 1024,
};

/** These statuses have no body. */
const WITHOUT_BODY = [204, 205, 304];

export interface BoundedFetchOptions {
  readonly issuer: URL;
  /** @default the platform's own */
  readonly fetch?: typeof fetch;
  readonly requestMs?: number;
}

/**
 * Never follows a redirect, because the requests carry codes and the client secret. Only a provider on this machine gets
 * requests without TLS.
 *
 * @returns a `fetch` whose responses are complete, and not too large
 */
export function createBoundedFetch(options: BoundedFetchOptions) {
  const { issuer, fetch: send = fetch, requestMs = PROVIDER_LIMITS.requestMs } = options;
  const isLocal = issuer.protocol === 'http:';
  return async (url: string, init?: RequestInit): Promise<Response> => {
    const target = new URL(url);
    if (target.protocol !== 'https:' && !(isLocal && target.protocol === 'http:' && isThisMachine(target)))
      throw new RangeError('a URL without TLS');
    // The body is read here, so the limit is for the whole response.
    const signal = AbortSignal.timeout(requestMs);
    const response = await send(target, { ...init, redirect: 'manual', signal });
    const { status, headers } = response;
    const body = await readBounded(response);
    return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers });
  };
}

async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > PROVIDER_LIMITS.bytes) throw new RangeError('a response too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
