/** Fetches a list over https, within limits of time and size. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { quote } from '../../../service/core/usage-error.ts';
import { CommandError } from '../../command-error.ts';

/** For the connection, all redirects and the whole list. */
const PATIENCE_MS = 120_000;
/** Of the unpacked list. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

const TOO_LARGE = 'Expected a list of at most 16 MiB, got a larger one. Choose another list.';
const CUT_OFF = 'Expected the whole list, got one that is cut off. Try again later.';

/** @param url begins with `https:` @throws {CommandError} if the list does not arrive whole */
export async function fetchList(url: string, patienceMs = PATIENCE_MS): Promise<Buffer> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    return await readBody(await follow(new URL(url), signal), signal);
  } catch (error) {
    throw signal.aborted
      ? new CommandError(
          `Expected the whole list within ${patienceMs / 1000} s, got no end of it. Try later.`,
        )
      : explain(error);
  }
}

async function follow(first: URL, signal: AbortSignal): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await get(url, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return response;
    response.destroy();
    if (!REDIRECTS.includes(statusCode)) {
      throw new CommandError(
        `Expected the status 200, got ${statusCode} from ${quote(url.host)}. Check --from.`,
      );
    }
    const { location } = headers;
    if (location === undefined || !URL.canParse(location, url))
      throw new CommandError(`Expected a redirect to a URL, got none from ${quote(url.host)}. Check --from.`);
    url = new URL(location, url);
    if (url.protocol !== 'https:') {
      throw new CommandError(
        `Expected a redirect to an https URL, got one to ${quote(url.protocol)}. Choose another list.`,
      );
    }
  }
  throw new CommandError(`Expected at most ${MOST_REDIRECTS} redirects, got more. Check --from.`);
}

function get(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const headers = { 'accept-encoding': 'gzip', connection: 'close' };
    request(url, { headers, signal })
      .on('response', (arrived) => {
        response = arrived;
        resolve(arrived);
      })
      // Of a response that has begun, such as one that is longer than it says.
      .on('error', (error) => (response ? response.destroy(error) : reject(error)))
      // Node reports no error for a status of 101.
      .on('close', () => reject(new CommandError(CUT_OFF)))
      .end();
  });
}

async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': transfer = '' } = response.headers;
  const { 'content-encoding': encoding = 'identity' } = response.headers;
  // It ends when the connection does, which looks the same whether the list is whole or not.
  if (length === undefined && !/\bchunked$/i.test(transfer)) {
    response.destroy();
    throw new CommandError('Expected a response that says where it ends, got none. Choose another list.');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new CommandError(TOO_LARGE);
      chunks.push(chunk);
    }
  };
  if (/^(x-)?gzip$/i.test(encoding)) {
    await pipeline(response, createGunzip(), collect, { signal });
  } else if (/^identity$/i.test(encoding)) {
    await pipeline(response, collect, { signal });
  } else {
    response.destroy();
    throw new CommandError(
      `Expected a list as it is or with gzip, got ${quote(encoding)}. Choose another list.`,
    );
  }
  return Buffer.concat(chunks);
}

/** The codes of a connection that ends before the list does. */
const ENDS_EARLY = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR'];

function explain(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof CommandError || code === undefined) return error;
  if (ENDS_EARLY.includes(code)) return new CommandError(CUT_OFF);
  if (code.startsWith('HPE_'))
    return new CommandError(`Expected a response of HTTP, got another (${code}). Choose another list.`);
  return new CommandError(`Expected the list over https, got ${code}. Check --from, and try again later.`);
}
