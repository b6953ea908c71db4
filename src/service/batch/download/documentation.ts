/** What the service's documentation says about downloads. */
import type { SwaggerTransform } from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import { Failure, type FailureCode } from '../../failures.ts';

const Parameters = Type.Object({
  file: Type.String({ description: 'The name of the file, as `download_file` has it.' }),
});

const header = (description: string) => ({ description, schema: { type: 'string' } });
const RETRY_AFTER = {
  'Retry-After': { description: 'The seconds after which to try again.', schema: { type: 'integer' } },
};

const failure = (description: string, codes: readonly FailureCode[], headers = {}) => ({
  description,
  headers,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Message' },
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: code, value: { message: new Failure(code).message } }]),
      ),
    },
  },
});

export const documentDownload: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: ['Batch'],
    summary: 'Download the results of a large batch',
    description:
      'Returns the results of a batch with more than 1,000 entries as a ZIP file with one CSV file. The status of the completed batch has the URL, as `download_file`. The URL needs no credential, so keep it secret. The CSV is UTF-8 with a line of names, in the order sent. A cell that a spreadsheet would take for a formula begins with an apostrophe. The file is kept for 5 days.',
    operationId: 'downloadBatch',
    security: [],
    params: Parameters,
    response: {
      200: {
        description: 'The file.',
        headers: {
          'Content-Disposition': header('The name of the file.'),
          'Cache-Control': header('The file is private.'),
          'X-Robots-Tag': header('Search engines leave it out.'),
          'Accept-Ranges': header('The file is sent whole. `Range` has no effect.'),
        },
        content: {
          'application/zip': { schema: { description: 'A ZIP file.', type: 'string', format: 'binary' } },
        },
      },
      404: failure('No batch has this file, or its results are no longer kept.', ['downloadMissing']),
      503: failure(
        'Too many downloads run at the moment, or the database cannot be reached.',
        ['downloadsBusy', 'databaseAway'],
        RETRY_AFTER,
      ),
    },
  },
});
