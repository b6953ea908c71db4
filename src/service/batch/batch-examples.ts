/** The examples of the documentation: a batch while it is processed, and a small and a large one at their ends. */
import { DELIVERABLE } from '../verify/verify-documentation.ts';
import { type BatchStatus, statusBody } from './batch-response.ts';
import { type BatchResult, pickFields, RESULT_FIELDS } from './result-fields.ts';

export const EXAMPLE_ID = '6f9619ff8b86d011b42d00c0';

const SMALL = {
  id: EXAMPLE_ID,
  state: 'completed',
  total: 2,
  tally: { accepted_email: 1 },
  duplicates: 1,
  emails: [pickFields(DELIVERABLE as BatchResult, RESULT_FIELDS)],
} as const satisfies BatchStatus;

const example = (summary: string, status: BatchStatus) => ({ summary, value: statusBody(status) });

/** What a callback sends. */
export const COMPLETED = {
  small: example('A completed batch of up to 1,000 entries', SMALL),
  large: example('A completed batch of more than 1,000 entries', {
    ...SMALL,
    total: 2_000,
    tally: { accepted_email: 1_500, rejected_email: 400 },
    duplicates: 100,
    emails: undefined,
    downloadFile: 'https://verify.example/download/kq3Zt9vYw1Xn5Lr7Bd0Gc2Hf4Jm6Pp8Ss-Uu_WwYyAa.zip',
  }),
};

/** What GET returns. */
export const STATUSES = {
  verifying: example('A batch that is being processed', {
    ...SMALL,
    state: 'verifying',
    total: 500,
    tally: { accepted_email: 320 },
    duplicates: 0,
    emails: undefined,
  }),
  ...COMPLETED,
};
