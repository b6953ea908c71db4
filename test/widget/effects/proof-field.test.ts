// @vitest-environment happy-dom
/** The proof of a result on its way to the page's server. A held submission that takes it along: e2e/proof.spec.ts. */
import { describe, expect, it } from 'vitest';
import type { GivenOptions } from '../../../src/widget/index.ts';
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
  typesOf,
  verdictIn,
  wait,
} from '../page-under-test.ts';
import { resultOf, settle } from '../scripted-fetch.ts';

const OPTIONS = { proofField: 'proof' };

/** A proof as the service signs it, by a clock that is not the visitor's. It is valid for 10 minutes. */
function proof(jti: string, seconds = 600) {
  // Its claims contain both characters that base64url spells otherwise.
  const claims = JSON.stringify({ iat: 1000, exp: 1000 + seconds, email: 'joe>?~@shop.example', jti });
  return `e30.${Buffer.from(claims).toString('base64url')}.AAAA`;
}

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
  async function submitAfter(minutes: number, options: GivenOptions = OPTIONS, first = proof('one')) {
    const page = installIn(FORM, options);
    await verifyWith(page, first);
    await wait(minutes * 60_000);
    const event = submit(page.form());
    await settle();
    return { page, event };
  }

  it('waits for another one', async () => {
    const { page, event } = await submitAfter(9.1);
    expect(event.defaultPrevented).toBe(true);
    expect(page.service.requests).toHaveLength(2);
    expect(stateOf(page.input())).toBe('verifying');
    await page.service.last.answer(200, resultOf(JOE), headers(proof('two')));
    expect(carried(page)).toBe(proof('two'));
    expect(submit(page.form()).defaultPrevented).toBe(false);
    await wait(9.1 * 60_000);
    submit(page.form());
    await settle();
    expect(page.service.requests).toHaveLength(3);
  });

  it('waits by the life of this proof', async () => {
    const { page } = await submitAfter(1.1, OPTIONS, proof('one', 120));
    expect(page.service.requests).toHaveLength(2);
  });

  it.each([
    ['before that minute', 8.9, OPTIONS],
    ['without the option', 9.5, { proofField: '' }],
    ['without validation', 9.5, { ...OPTIONS, formValidation: false }],
    ['with what cannot be read', 9.5, OPTIONS, 'a.%%%.c'],
    ['with a proof without times', 9.5, OPTIONS, 'e30.e30.AAAA'],
  ])('does not wait %s', async (_, minutes, options, first?: string) => {
    const { page, event } = await submitAfter(minutes, options, first);
    expect(event.defaultPrevented).toBe(false);
    expect(page.service.requests).toHaveLength(1);
  });

  it.each<[string, (page: PageUnderTest) => Promise<unknown>]>([
    ['status 402', (page) => page.service.last.answer(402, '')],
    ['status 429', (page) => page.service.last.answer(429, '')],
    ['status 500', (page) => page.service.last.answer(500, '')],
    ['a result of another address', (page) => page.service.last.answer(200, resultOf(ANN))],
    ['no connection', (page) => page.service.last.fail().then(() => wait(500))],
    ['no response', () => wait(5000)],
  ])('keeps the verdict and the proof after %s, and waits only once', async (_, happens) => {
    const { page } = await submitAfter(9.5, { ...OPTIONS, blockOnRateLimit: true });
    const events = record(page.input());
    await happens(page);
    expect(stateOf(page.input())).toBe('accepted');
    expect(carried(page)).toBe(proof('one'));
    expect(typesOf(events)).toEqual(['verified']);
    expect(submit(page.form()).defaultPrevented).toBe(false);
    expect(page.service.requests).toHaveLength(2);
  });

  it('keeps both if the page cancels the request', async () => {
    const page = installIn(FORM, OPTIONS);
    await verifyWith(page, proof('one'));
    page.input().addEventListener('verifying', (event) => event.preventDefault());
    await wait(570_000);
    expect(submit(page.form()).defaultPrevented).toBe(false);
    expect(carried(page)).toBe(proof('one'));
  });

  it('asks again if an edit has aborted the request', async () => {
    const { page } = await submitAfter(9.5);
    type(page.input(), ANN);
    await ask(page.input(), JOE);
    expect(page.service.requests[1]?.isAborted).toBe(true);
    expect(carried(page)).toBe(proof('one'));
    expect(submit(page.form()).defaultPrevented).toBe(true);
    expect(page.service.requests).toHaveLength(3);
  });

  it('waits for that of a remembered result that was typed just before', async () => {
    const page = installIn(FORM, OPTIONS);
    await verifyWith(page, proof('one'));
    await verifyWith(page, proof('two'), ANN);
    await wait(570_000);
    type(page.input(), JOE);
    expect(submit(page.form()).defaultPrevented).toBe(true);
    await settle();
    expect(page.service.last.email).toBe(JOE);
  });

  it('asks once for two fields with the address', async () => {
    const page = installIn('<form><input type="email" id="a"><input type="email" id="b"></form>', OPTIONS);
    await ask(page.input('#a'));
    await page.service.last.answer(200, resultOf(JOE), headers(proof('one')));
    await ask(page.input('#b'));
    await wait(570_000);
    submit(page.form());
    await settle();
    expect(page.service.requests).toHaveLength(2);
    await page.service.last.answer(200, resultOf(JOE), headers(proof('two')));
    expect(new FormData(page.form()).getAll('proof')).toEqual([proof('two'), proof('two')]);
  });

  it('is not carried for a list, which it does not prove, but for one address in its field', async () => {
    const page = installIn('<form><input type="email" multiple></form>', OPTIONS);
    let answered = 0;
    const answerAll = async () => {
      for (const request of page.service.requests.slice(answered)) {
        answered += 1;
        await request.answer(200, resultOf(request.email), headers(proof(request.email)));
      }
    };
    await ask(page.input(), JOE);
    await answerAll();
    expect(new FormData(page.form()).get('proof')).toBe(proof(JOE));
    await ask(page.input(), `${JOE}, ${ANN}`);
    await answerAll();
    expect(stateOf(page.input())).toBe('accepted');
    expect(new FormData(page.form()).has('proof')).toBe(false);
    // So nothing is asked again for one when the proofs of its addresses have ended.
    await wait(20 * 60_000);
    expect(submit(page.form()).defaultPrevented).toBe(false);
    expect(page.service.requests).toHaveLength(answered);
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
