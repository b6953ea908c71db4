/** What the forms and the code of the API's reference contain at first. */
import type { Examples } from './api-page.ts';
import type { ClientRequest } from './client-code.ts';

const EXAMPLE = { email: 'deliverable@example.com' };

/** Public keys work at `/v1/verify` only. Only live keys get explanations, and the demo has none. */
const KEYS: Readonly<Record<string, string>> = { '/v1/verify': '@@publicKey@@', '/v1/verify/explain': '' };

/** What the code of each operation sends. */
const SENT: Readonly<Record<string, ClientRequest['fields']>> = {
  verify: EXAMPLE,
  verifyByPost: EXAMPLE,
  createBatch: { emails: ['ada@example.org', 'bo@example.org'] },
  batch: { id: 'your_batch_id' },
  account: {},
};

export const EXAMPLES: Examples = {
  form: (path) => ({ ...EXAMPLE, api_key: KEYS[path] ?? '@@privateKey@@' }),
  code: (operationId) => SENT[operationId] && { key: '@@codeKey@@', fields: SENT[operationId] },
};
