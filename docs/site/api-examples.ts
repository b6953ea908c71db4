/** What the forms and the code of the API's reference contain at first. */
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

/** By the name of a parameter. */
export const formValues = (path: string): Readonly<Record<string, string>> => ({
  ...EXAMPLE,
  api_key: KEYS[path] ?? '@@privateKey@@',
});

/** @returns undefined for operations without code */
export const sentBy = (operationId: string): Pick<ClientRequest, 'key' | 'fields'> | undefined =>
  SENT[operationId] && { key: '@@codeKey@@', fields: SENT[operationId] };
