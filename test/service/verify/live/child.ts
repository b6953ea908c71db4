/** A process for tests: it verifies addresses with idempotency keys, and writes a line for each response. */
import { createIdempotency } from '../../../../src/service/idempotency/idempotency.ts';
import { digestRequest } from '../../../../src/service/idempotency/idempotency-header.ts';
import { type Deadline, deadlineAfter } from '../../../../src/service/verify/live/deadline.ts';
import { createLiveVerifications } from '../../../../src/service/verify/live/live-verifications.ts';
import { openChild, write } from '../../support/child.ts';
import { DEPS } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';

const { ACCOUNT_ID: accountId = '', ADDRESSES = '', PACE = 'fast', IS_LATE } = process.env;

/** With `IS_LATE`, the deadline passes once the verifier was asked, however long its start took. */
let passDeadline!: () => void;
const asked = new Promise<'late'>((resolve) => {
  passDeadline = () => resolve('late');
});
const afterAsking = (timeoutMs: number): Deadline => ({ ...deadlineAfter(timeoutMs), passed: asked });

const child = await openChild(8);
const live = createLiveVerifications(
  { ...DEPS, ...child },
  {
    deadlineAfter: IS_LATE ? afterAsking : deadlineAfter,
    async verifier({ address }) {
      if (PACE === 'never') {
        write({ called: address });
        passDeadline();
        await new Promise(() => {});
      }
      // Each conversation has its own result.
      return { result: { ...resultOf(address), duration: Math.random() }, evidence: [] };
    },
  },
);
const idempotency = createIdempotency(child);

async function verify(address: string): Promise<void> {
  const key = `key of ${address}`;
  const request = digestRequest('/v1/verify', address);
  const answer = await idempotency.run(
    { accountId, mode: 'live', route: '/v1/verify', key, request },
    async () => {
      const answer = await live.verify({
        ...{ accountId, address, smtp: true, acceptAll: false, timeoutMs: 60_000 },
        response: { key, bodyOf: JSON.stringify },
      });
      if (answer.kind !== 'result') return { status: 249, body: answer.kind };
      return { status: 200, body: JSON.stringify(answer.result), isStored: answer.isResponseStored };
    },
  );
  write({ address, ...(answer.kind === 'response' ? answer.response : { status: answer.kind }) });
}

const addresses = ADDRESSES.split(',');
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let address = addresses.shift(); address; address = addresses.shift()) await verify(address);
  }),
);
write({ done: true });
