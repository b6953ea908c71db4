// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import {
  ANN,
  ask,
  FORM,
  installIn,
  JOE,
  leave,
  record,
  type,
  verdictIn,
  verify,
  wait,
} from '../page-under-test.ts';
import { resultOf, settle } from '../scripted-fetch.ts';

const hidden = () => [...document.querySelectorAll<HTMLInputElement>('input[type=hidden]')];
const OPTIONS = { resultField: 'result' };

describe('the result field', () => {
  it('carries the result’s JSON text while its verdict stands', async () => {
    const page = installIn(FORM, OPTIONS);
    const events = record(page.input());
    await verify(page, JOE);
    const [field] = hidden();
    expect(hidden()).toHaveLength(1);
    expect(field?.name).toBe('result');
    expect(field?.form).toBe(page.form());
    expect(field?.value).toBe(verdictIn(events).verificationData.body);
    expect(new FormData(page.form()).get('result')).toBe(field?.value);
  });

  it('carries the widget’s own result on what cannot be an address, which a page may let pass', async () => {
    const page = installIn(FORM, { ...OPTIONS, formValidation: false });
    await ask(page.input(), 'joe@shop');
    expect(hidden().map(({ value }) => JSON.parse(value))).toMatchObject([
      { email: 'joe@shop', state: 'undeliverable', reason: 'invalid_email' },
    ]);
  });

  it('is not written again while nothing changes, because pages observe their forms', async () => {
    const page = installIn(FORM, { ...OPTIONS, proofField: 'proof' });
    await ask(page.input());
    await page.service.last.answer(200, resultOf(JOE), { 'Email-Verify-Proof': 'e30.e30.AAAA' });
    await wait(1_000);
    const changed = vi.fn();
    new MutationObserver(changed).observe(page.form(), { attributes: true, subtree: true });
    await wait(1_000);
    expect(hidden()).toHaveLength(2);
    expect(changed).not.toHaveBeenCalled();
  });

  it('is missing while a newer value is pending, and then carries the newer result', async () => {
    const page = installIn(FORM, OPTIONS);
    await verify(page, JOE);
    type(page.input(), ANN);
    expect(hidden()).toEqual([]);
    leave(page.input());
    await settle();
    expect(hidden()).toEqual([]);
    await page.service.last.answer(200, resultOf(ANN));
    expect(hidden().map(({ value }) => JSON.parse(value).email)).toEqual([ANN]);
  });

  it('is missing after a failure, and when a script has changed the value', async () => {
    const page = installIn(FORM, OPTIONS);
    await ask(page.input());
    await page.service.last.answer(500, '');
    expect(hidden()).toEqual([]);
    await verify(page, ANN);
    page.input().value = JOE;
    await wait(1000);
    expect(hidden()).toEqual([]);
  });

  it('is missing without a name, and without a form', async () => {
    const page = installIn(FORM);
    await verify(page, JOE);
    expect(hidden()).toEqual([]);
    page.widget.set(OPTIONS);
    expect(hidden()).toHaveLength(1);
    page.widget.set({ resultField: '' });
    expect(hidden()).toEqual([]);
    page.widget.destroy();

    const formless = installIn('<input type="email">', OPTIONS);
    await verify(formless, JOE);
    expect(hidden()).toEqual([]);
  });

  it('is removed with the widget', async () => {
    const page = installIn(FORM, OPTIONS);
    await verify(page, JOE);
    page.widget.destroy();
    expect(hidden()).toEqual([]);
  });
});
