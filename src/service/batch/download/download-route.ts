/** `/download/`: the results of large batches. The URL, which the batch's status contains, is the credential. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../core/failures.ts';
import { createSlots } from '../../core/slots.ts';
import type { Deps } from '../../deps/deps.ts';
import { openArchive } from './archive.ts';
import { documentDownload } from './download-documentation.ts';
import { nameOfFile } from './download-name.ts';
import { type Download, findDownload } from './download-store.ts';
import { sendFile } from './send-while-made.ts';

const PATH = '/download/:file';
/** A stalled download holds about 2 MB. */
const MOST_AT_ONCE = 20;
/** By account, not by batch: otherwise the stalled downloads of four batches would leave nothing for others. */
const MOST_OF_ONE_ACCOUNT = 5;
const RETRY_AFTER_S = '5';

export interface DownloadRouteOptions {
  readonly deps: Pick<Deps, 'db' | 'log'>;
  /** How long a download may take, in milliseconds. */
  readonly longestMs: number;
}

export const downloadRoute: FastifyPluginAsyncTypebox<DownloadRouteOptions> = async (
  app,
  { deps, longestMs },
) => {
  const { db, log } = deps;
  const slots = createSlots({ atOnce: MOST_AT_ONCE, ofOne: MOST_OF_ONE_ACCOUNT });

  const find = async (request: FastifyRequest): Promise<Download> => {
    const name = nameOfFile((request.params as { file: string }).file);
    const download = name === undefined ? undefined : await findDownload(db, name);
    // One response for all cases, so that it does not reveal which names exist or existed.
    if (!download) throw new Failure('downloadMissing');
    return download;
  };

  // Fastify's own HEAD would write the whole file and discard it.
  app.head(PATH, async function headOfDownload(request, reply) {
    return reply.headers(headersOf(await find(request))).send();
  });

  app.get(
    PATH,
    { exposeHeadRoute: false, config: { swaggerTransform: documentDownload } },
    async function download(request, reply) {
      const found = await find(request);
      const release = slots.take(found.account_id);
      if (!release) throw new Failure('downloadsBusy', undefined, { 'Retry-After': RETRY_AFTER_S });
      return sendFile(request, reply, openArchive(db, found), {
        ...{ headers: headersOf(found), longestMs, release, log },
      });
    },
  );
};

/** `Range` is ignored, because the file is created while it is sent. */
const headersOf = ({ id }: Download) => ({
  'Content-Type': 'application/zip',
  'Content-Disposition': `attachment; filename="batch-${id}.zip"`,
  'Cache-Control': 'private, no-store',
  'X-Robots-Tag': 'noindex',
  'Accept-Ranges': 'none',
});
