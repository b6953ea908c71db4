/** Sends a request whose response is bounded in size and in time. Never rejects, except for the caller's own signal. */

/** As `fetch`, with a URL as text. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Why there is no result: no response in time, none at all, or one that is not a result. */
export type NoReply = 'timeout' | 'unreachable' | 'malformed';

/**
 * @param fetch @default the platform's, as it is at that moment
 * @param limit of the body, in bytes. A longer one counts as empty
 */
export async function ask(
  fetch: Fetch | undefined,
  url: string,
  init: RequestInit,
  limit: number,
): Promise<Reply | NoReply> {
  try {
    // Some platforms throw for `redirect: 'error'`. With this, a redirect is a status that is not 200, or none.
    const response = await (fetch ?? globalThis.fetch)(url, { ...init, redirect: 'manual' });
    return { status: response.status, body: await readBody(response, limit) };
  } catch {
    return 'unreachable';
  }
}

async function readBody({ body }: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  // The end of the loop, however it comes, ends the response. Browsers alone have streams that are no such list.
  for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return '';
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Ends a work after a time, and when the caller wants it.
 *
 * @param caller rejects with the signal's reason
 * @param work gets a signal that is aborted when nobody waits any longer
 */
export async function endWithin<Value>(
  milliseconds: number,
  caller: AbortSignal | undefined,
  work: (ending: AbortSignal) => Promise<Value>,
): Promise<Value | 'timeout'> {
  caller?.throwIfAborted();
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<Value | 'timeout'>((resolve, reject) => {
      // The listener goes with this call.
      caller?.addEventListener('abort', () => reject(caller.reason), { signal: controller.signal });
      timer = setTimeout(resolve, milliseconds, 'timeout');
      work(controller.signal).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

/** Waits. @param ending rejects with the signal's reason */
export const pause = (milliseconds: number, ending: AbortSignal): Promise<unknown> =>
  endWithin(milliseconds, ending, () => new Promise(() => {}));
