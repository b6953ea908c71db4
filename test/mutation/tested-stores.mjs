import { join } from 'node:path';

/**
 * The stores and functions whose SQL `npm run mutation -- stores` changes, and the tests that are theirs, those first
 * that notice most: whoever has an address, an account's credits, a key or a session depends on these.
 */
const SERVICE = {
  'jobs/lease-store.ts': ['jobs/lease', 'batch/live/claim-store', 'batch/live/batch-worker'],
  'jobs/suspect-store.ts': ['jobs/suspect-store', 'jobs/suspect-turns'],
  'jobs/process-store.ts': ['jobs/process-lease', 'jobs/lease', 'operations/metrics/process'],
  'batch/live/claim-store.ts': [
    ...['batch/live/claim-store', 'batch/live/batch-worker', 'batch/live/claims', 'batch/live/poison'],
    ...['jobs/lease', 'batch/turns/turn-store'],
  ],
  'batch/turns/turn-store.ts': ['batch/turns/turn-store', 'batch/live/fair-queue', 'batch/live/batch-worker'],
  'batch/callbacks/callback-store.ts': [
    ...['batch/callbacks/callback-store', 'batch/callbacks/callback-history', 'batch/callbacks/service'],
    ...['webhooks/webhook-worker', 'jobs/lease'],
  ],
  'batch/batch-store.ts': [
    ...['batch/batch-route', 'batch/creation', 'batch/progress', 'batch/manage/manage-batches'],
    ...['batch/manage/stop-batch', 'batch/batch-retention', 'batch/live/batch-worker', 'batch/storage'],
  ],
  'batch/storage/storage-store.ts': ['batch/storage'],
  'batch/pace/pace-store.ts': ['batch/pace/pace-store', 'dashboard/batches/batch-details'],
  'credits/credit-store.ts': [
    ...['credits/credit-store', 'credits/interleavings', '../cli/account', 'verify/live/locked-account'],
  ],
  'credits/billing/payment-store.ts': ['credits/billing/billing', 'books/audit-books'],
  'verify/live/live-store.ts': [
    ...['verify/live/live-verifications', 'verify/live/outcomes', 'verify/live/interleavings'],
    ...['verify/live/recall', 'verify/live/locked-account', 'batch/stored-address/erase-address'],
    'jobs/lease',
  ],
  'idempotency/idempotency-store.ts': [
    ...['idempotency/idempotency', 'batch/stored-address/erase-address', 'app/housekeeping'],
  ],
  'limits/limit-store.ts': [
    ...['limits/rate-limit', 'limits/network-limit', 'limits/stored-unique-per-day', 'keys/daily-credits'],
    'app/housekeeping',
  ],
  'keys/key-store.ts': ['keys/key-store', 'keys/stored-keys', 'dashboard/keys/key', 'app/flush-usage'],
  'people/sign-in/guess-store.ts': ['people/sign-in/guesses', 'people/sign-in/strangers'],
  'people/sessions/session-store.ts': [
    ...['people/sessions/sessions', 'dashboard/visit', 'dashboard/security/sessions-section'],
    ...['people/sign-in/change-password', 'people/sign-in/confirm-password', 'app/housekeeping'],
    'dashboard/members/members-page',
  ],
  'oauth/tokens/token-store.ts': [
    ...['oauth/token', 'oauth/tokens/access-tokens', 'oauth/revoke', 'oauth/device/device'],
    ...['oauth/membership-end', 'oauth/grants', 'oauth/concurrency'],
  ],
  'oauth/device/device-store.ts': ['oauth/device/device', 'oauth/membership-end', 'oauth/clear-up'],
  'webhooks/webhook-store.ts': [
    ...['batch/callbacks/callback-store', 'webhooks/webhook-worker', 'batch/callbacks/service'],
  ],
  ...functions({
    change_credits: ['credits/credit-store', 'verify/live/live-verifications'],
    count_requests: ['limits/rate-limit', 'usage/usage-counter'],
    queue_batches: ['batch/turns/turn-store', 'batch/live/batch-worker'],
    ready_callbacks: ['batch/callbacks/callback-store', 'webhooks/webhook-worker'],
    release_batch_storage: ['batch/storage'],
    settle_verifications: [
      ...['verify/live/live-verifications', 'verify/live/outcomes', 'verify/live/locked-account'],
      ...['idempotency/idempotency', 'keys/daily-credits', 'usage/daily-results'],
    ],
    start_verifications: [
      ...['verify/live/live-verifications', 'verify/live/interleavings', 'limits/rate-limit'],
      ...['keys/daily-credits', 'verify/live-keys', 'idempotency/idempotency'],
    ],
  }),
};

/** Functions of the database, by the names of their files: those that this version calls. The others serve the one before. */
function functions(named) {
  return Object.fromEntries(
    Object.entries(named).map(([name, tests]) => [`database/functions/${name}.sql`, tests]),
  );
}

/** Each file with the files of its tests. */
export const STORES = Object.entries(SERVICE).map(([file, tests]) => ({
  file: `src/service/${file}`,
  tests: tests.map((test) => join('test/service', `${test}.test.ts`)),
}));
