/** The documentation of downloads. */
import type { SwaggerTransform } from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import { documentFailure, HEAD_FAILURES, INTERNAL } from '../../core/failure-documentation.ts';
import { DATABASE_FAILURES } from '../../database/database-failure.ts';

const Parameters = Type.Object({
  file: Type.String({ description: 'The name of the file, from `download_file`.' }),
});

const header = (description: string) => ({ type: 'string', description });
const RETRY_AFTER = {
  'Retry-After': { type: 'integer', description: 'How many seconds to wait before you try again.' },
};

export const documentDownload: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: ['Batch'],
    summary: 'Download the results of a large batch',
    description:
      'Returns the results of a batch with more than 1,000 entries as a ZIP file with one CSV file. The URL is `download_file` in the status of the completed batch. It needs no credential, so keep it secret. The CSV is UTF-8, with a header line and the addresses in the order sent. A cell that a spreadsheet would treat as a formula begins with an apostrophe. The file is kept for 5 days.',
    operationId: 'downloadBatch',
    security: [],
    params: Parameters,
    response: {
      200: {
        description: 'The file.',
        headers: {
          'Content-Disposition': header('The name of the file.'),
          'Cache-Control': header('The file is private.'),
          'X-Robots-Tag': header('Keeps the file out of search engines.'),
          'Accept-Ranges': header('`none`: the service always sends the whole file, and ignores `Range`.'),
        },
        content: {
          'application/zip': { schema: { description: 'A ZIP file.', type: 'string', format: 'binary' } },
        },
      },
      400: documentFailure('The URL is not well-formed.', 'badRequest'),
      ...HEAD_FAILURES,
      500: INTERNAL,
      404: documentFailure('The file does not exist, or is no longer kept.', 'downloadMissing', 'notFound'),
      503: {
        ...documentFailure(
          'Too many downloads are running, or the database cannot serve at the moment.',
          'downloadsBusy',
          ...DATABASE_FAILURES,
        ),
        headers: RETRY_AFTER,
      },
    },
  },
});
