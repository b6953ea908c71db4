import { beforeEach, describe, expect, it } from 'vitest';
import { createAdmission } from '../../../../src/service/verify/live/live-admission.ts';
import { withResolvers } from '../../../with-resolvers.ts';

let nowMs = 0;
let running = 0;
let held = 0;
let logged: unknown[][] = [];
let admission: ReturnType<typeof createAdmission>;
beforeEach(() => {
  nowMs = 0;
  running = 0;
  held = 0;
  logged = [];
  admission = createAdmission({
    concurrency: 200,
    running: () => running,
    held: (accountId) => (accountId === undefined || accountId === 'acc_locked' ? held : 0),
    log: (...event) => void logged.push(event),
    now: () => nowMs,
  });
});

/** A beginning that waits until the test ends it. */
function begin() {
  const { promise: over, resolve, reject } = withResolvers();
  const measured = admission.measure(() => over);
  return {
    async end(error?: Error) {
      if (error) reject(error);
      else resolve();
      await measured.catch(() => {});
    },
  };
}

const BUSY = expect.objectContaining({ code: 'liveBusy', status: 503, headers: { 'Retry-After': '1' } });
const refusal = (accountId = 'acc_any') => {
  try {
    admission.expectRoom(accountId);
    return undefined;
  } catch (error) {
    return error;
  }
};

it('lets as many in as the config says, and refuses the next one', () => {
  running = 199;
  expect(refusal()).toBeUndefined();
  running = 200;
  expect(refusal()).toEqual(BUSY);
  running = 199;
  expect(refusal()).toBeUndefined();
});

describe('the wait to begin', () => {
  it('lets others in as long as it is short', () => {
    running = 150;
    begin();
    nowMs = 300;
    expect(refusal()).toBeUndefined();
    nowMs = 301;
    expect(refusal()).toEqual(BUSY);
  });

  it('refuses nobody any more as soon as the late ones have begun', async () => {
    running = 150;
    const late = begin();
    nowMs = 600;
    begin();
    expect(refusal()).toEqual(BUSY);
    await late.end();
    expect(refusal()).toBeUndefined();
  });

  it('counts a beginning that fails as one that is over', async () => {
    running = 150;
    const late = begin();
    nowMs = 600;
    await late.end(new Error('the database is away'));
    expect(refusal()).toBeUndefined();
  });

  it('refuses nobody over one that is held up while later ones begin', async () => {
    running = 150;
    begin();
    nowMs = 200;
    const later = begin();
    nowMs = 400;
    expect(refusal()).toEqual(BUSY);
    await later.end();
    expect(refusal()).toBeUndefined();
  });

  it('refuses nobody over a slow database as long as there are only a few', () => {
    running = 99;
    begin();
    nowMs = 10_000;
    expect(refusal()).toBeUndefined();
    running = 100;
    expect(refusal()).toEqual(BUSY);
  });
});

it('gives back what the beginning returns, and fails as it does', async () => {
  expect(await admission.measure(async () => 'begun')).toBe('begun');
  await expect(admission.measure(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('writes one line in ten seconds about refusals, which says why', () => {
  running = 200;
  for (nowMs of [0, 1, 9_999]) refusal();
  expect(logged).toEqual([
    ['warn', 'live verifications refused', { reason: 'live.concurrency', running: 200, waiting: 0 }],
  ]);
  running = 150;
  begin();
  nowMs = 12_000;
  refusal();
  const why = { reason: 'slow beginnings', running: 150, waiting: 1 };
  expect(logged[1]).toEqual(['warn', 'live verifications refused', why]);
});

describe('a locked account', () => {
  it('takes no room from the others, and at most a tenth of it for itself', () => {
    running = 210;
    held = 20;
    expect(refusal()).toBeUndefined();
    expect(refusal('acc_locked')).toEqual(BUSY);
    held = 19;
    running = 190;
    expect(refusal('acc_locked')).toBeUndefined();
  });

  it('is not taken for a slow beginning', async () => {
    running = 150;
    const { promise: over, resolve: end } = withResolvers();
    const measured = admission.measure((onHeld) => {
      onHeld();
      return over;
    });
    nowMs = 10_000;
    expect(refusal()).toBeUndefined();
    end();
    await measured;
  });
});
