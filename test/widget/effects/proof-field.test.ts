// @vitest-environment happy-dom
/** The proof of a result on its way to the page's server. A held submission that takes it along: e2e/proof.spec.ts. */
import { describe, expect, it } from 'vitest';
import {
  ANN,
  ask,
  FORM,
  installIn,
  JOE,
  leave,
  type PageUnderTest,
  record,
  stateOf,
  submit,
  type,
  verdictIn,
  wait,
} from '../page-under-test.ts';
import { resultOf, settle } from '../scripted-fetch.ts';

const OPTIONS = { proofField: 'proof' };

const proof = (jti: string) => `e30.${jti}.AAAA`;

const headers = (token: string) => ({ 'Email-Verify-Proof': token });

async function verifyWith(page: PageUnderTest, token: string, address = JOE) {
  await ask(page.input(), address);
  await page.service.last.answer(200, resultOf(address), headers(token));
}

const carried = (page: PageUnderTest) => new FormData(page.form()).get('proof');

describe('the proof field', () => {
  it('carries the proof of the standing verdict, and is gone with it', async () => {
    const page = installIn(FORM, OPTIONS);
    await verifyWith(page, proof('one'));
    expect(carried(page)).toBe(proof('one'));
    type(page.input(), ANN);
    expect(carried(page)).toBeNull();
    leave(page.input());
    await settle();
    await page.service.last.answer(200, resultOf(ANN), headers(proof('two')));
    expect(carried(page)).toBe(proof('two'));
    page.widget.destroy();
    expect(document.querySelectorAll('[type=hidden]')).toHaveLength(0);
  });

  it('stands beside the result field, and carries the proof of a remembered result', async () => {
    const page = installIn(FORM, { ...OPTIONS, resultField: 'result' });
    await verifyWith(page, proof('one'));
    await verifyWith(page, proof('two'), ANN);
    await ask(page.input(), JOE);
    expect(page.service.requests).toHaveLength(2);
    expect([...new FormData(page.form()).keys()]).toEqual(['email', 'result', 'proof']);
    expect(carried(page)).toBe(proof('one'));
  });

  it.each([
    ['without a header', (page: PageUnderTest) => page.service.last.answer(200, resultOf(JOE))],
    ['after a failure', (page: PageUnderTest) => page.service.last.answer(500, '', headers(proof('one')))],
  ])('is missing %s', async (_, answer) => {
    const page = installIn(FORM, OPTIONS);
    await ask(page.input());
    await answer(page);
    expect(carried(page)).toBeNull();
  });

  it('carries what is not a proof, because only the server can judge it', async () => {
    const page = installIn(FORM, OPTIONS);
    await verifyWith(page, 'a.%%%.c');
    expect(stateOf(page.input())).toBe('accepted');
    expect(carried(page)).toBe('a.%%%.c');
  });
});

describe('a submission with a proof of its last minute', () => {
  /** Fills in a form for so many minutes, and tries to submit it. */
  async function submitAfter(minutes: number, options = OPTIONS) {
    const page = installIn(FORM, options);
    await verifyWith(page, proof('one'));
    await wait(minutes * 60_000);
    const event = submit(page.form());
    await settle();
    return { page, event };
  }

  it('waits for another one', async () => {
    const { page, event } = await submitAfter(9.5);
    expect(event.defaultPrevented).toBe(true);
    expect(page.service.requests).toHaveLength(2);
    expect(stateOf(page.input())).toBe('verifying');
    await page.service.last.answer(200, resultOf(JOE), headers(proof('two')));
    expect(carried(page)).toBe(proof('two'));
    expect(submit(page.form()).defaultPrevented).toBe(false);
    expect(page.service.requests).toHaveLength(2);
  });

  it.each([
    ['before that minute', 8.9, OPTIONS],
    ['without the option', 9.5, { proofField: '' }],
    ['without validation', 9.5, { ...OPTIONS, formValidation: false }],
  ])('does not wait %s', async (_, minutes, options) => {
    const { page, event } = await submitAfter(minutes, options);
    expect(event.defaultPrevented).toBe(false);
    expect(page.service.requests).toHaveLength(1);
  });

  it.each([
    [500, 'accepted'],
    [429, 'accepted'],
  ])('keeps the verdict and the proof after status %i, and waits only once', async (status, state) => {
    const { page } = await submitAfter(9.5, { ...OPTIONS, blockOnRateLimit: true } as typeof OPTIONS);
    await page.service.last.answer(status, '');
    expect(stateOf(page.input())).toBe(state);
    expect(carried(page)).toBe(proof('one'));
    expect(submit(page.form()).defaultPrevented).toBe(false);
    expect(page.service.requests).toHaveLength(2);
  });

  it('takes another result as a new verdict', async () => {
    const { page } = await submitAfter(9.5);
    await page.service.last.answer(200, resultOf(JOE, { state: 'undeliverable' }), headers(proof('two')));
    expect(stateOf(page.input())).toBe('rejected');
    expect(submit(page.form()).defaultPrevented).toBe(true);
  });
});

describe('the event verified', () => {
  it('has the proof, also without the option', async () => {
    const page = installIn(FORM);
    const events = record(page.input());
    await verifyWith(page, proof('one'));
    expect(verdictIn(events).verificationData.proof).toBe(proof('one'));
  });

  it('has null for what cannot be an address', async () => {
    const page = installIn(FORM);
    const events = record(page.input());
    await ask(page.input(), 'joe@shop');
    expect(verdictIn(events).verificationData.proof).toBeNull();
  });
});
