// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import {
  ANN,
  ask,
  customValidity,
  FORM,
  installIn,
  JOE,
  leave,
  stateOf,
  statusText,
  submit,
  type,
  verify,
  wait,
} from '../page-under-test.ts';
import { resultOf, settle } from '../scripted-fetch.ts';

const UNDELIVERABLE = { state: 'undeliverable' };
const MESSAGES = { verifying: 'VERIFYING', invalid: 'INVALID' };

describe('the custom validity', () => {
  it('is a rejection’s message until the value changes', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, UNDELIVERABLE);
    expect(page.form().checkValidity()).toBe(false);
    await wait(60_000);
    expect(customValidity(page.input())).toBe('INVALID');
    type(page.input(), ANN);
    expect(page.form().checkValidity()).toBe(true);
  });

  it('is empty while a verdict is pending', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    type(page.input(), JOE);
    expect(page.form().checkValidity()).toBe(true);
    leave(page.input());
    await settle();
    expect(page.form().checkValidity()).toBe(true);
    expect(page.input().reportValidity()).toBe(true);
    expect(page.service.requests).toHaveLength(1);
  });

  it('is never reported by the widget without an attempt to submit', async () => {
    const page = installIn(FORM);
    let reported = 0;
    page.input().addEventListener('invalid', () => reported++);
    page.input().reportValidity = () => {
      reported++;
      return false;
    };
    await verify(page, JOE, UNDELIVERABLE);
    await wait(60_000);
    expect(reported).toBe(0);
  });

  it('stays the same when other options change', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, UNDELIVERABLE);
    page.widget.set({ messages: { invalid: 'OTHER' } });
    expect(customValidity(page.input())).toBe('OTHER');
    expect(statusText(page.input())).toBe('OTHER');
  });
});

describe('a custom validity that the page has set', () => {
  it.each<[string, object]>([
    ['accepted', {}],
    ['rejected', UNDELIVERABLE],
  ])('stays through everything until the address is %s', async (state, attributes) => {
    const page = installIn(FORM, { messages: MESSAGES });
    const input = page.input();
    input.setCustomValidity('The page’s own');
    const seen: string[] = [];
    const look = () => seen.push(customValidity(input));
    type(input, JOE);
    look();
    leave(input);
    await settle();
    look();
    submit(page.form());
    look();
    await page.service.last.answer(200, resultOf(JOE, attributes));
    expect(stateOf(input)).toBe(state);
    look();
    type(input, ANN);
    look();
    page.widget.destroy();
    look();
    expect(new Set(seen)).toEqual(new Set(['The page’s own']));
  });

  it('over ours stays when ours would be removed', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, UNDELIVERABLE);
    page.input().setCustomValidity('The page’s own');
    type(page.input(), ANN);
    expect(customValidity(page.input())).toBe('The page’s own');
    page.widget.destroy();
    expect(customValidity(page.input())).toBe('The page’s own');
  });

  it('over "verifying" stays, whatever the verdict and whatever comes after it', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const input = page.input();
    const seen: string[] = [];
    const look = () => seen.push(customValidity(input));
    type(input, JOE);
    submit(page.form());
    await settle();
    expect(customValidity(input)).toBe('VERIFYING');
    input.setCustomValidity('The page’s own');
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(stateOf(input)).toBe('rejected');
    look();
    await verify(page, ANN);
    look();
    page.form().reset();
    await wait(1000);
    look();
    page.widget.set({ formValidation: false });
    look();
    page.widget.set({ formValidation: true });
    look();
    page.widget.destroy();
    look();
    expect(seen).toEqual(Array(6).fill('The page’s own'));
  });

  it('that a listener of the widget’s events sets stays', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const set = () => page.input().setCustomValidity('The page’s own');
    page.input().addEventListener('verifying', set, { once: true });
    await verify(page, JOE, UNDELIVERABLE);
    expect(customValidity(page.input())).toBe('The page’s own');
    page.input().setCustomValidity('');
    type(page.input(), ANN);
    page.input().addEventListener('verified', set, { once: true });
    leave(page.input());
    await settle();
    await page.service.last.answer(200, resultOf(ANN));
    await wait(1000);
    expect(customValidity(page.input())).toBe('The page’s own');
  });

  it('is replaced by ours after the page has removed it', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    page.input().setCustomValidity('The page’s own');
    await verify(page, JOE, UNDELIVERABLE);
    page.input().setCustomValidity('');
    await wait(1000);
    expect(customValidity(page.input())).toBe('INVALID');
  });
});

describe('with formValidation: false', () => {
  it('nothing is blocked: status element and events only', async () => {
    const page = installIn('<form novalidate><input type="email"></form>', {
      formValidation: false,
      messages: MESSAGES,
    });
    await verify(page, JOE, UNDELIVERABLE);
    expect(stateOf(page.input())).toBe('rejected');
    expect(statusText(page.input())).toBe('INVALID');
    expect(customValidity(page.input())).toBe('');
    expect(page.form().hasAttribute('novalidate')).toBe(true);
    expect(submit(page.form()).defaultPrevented).toBe(false);
    type(page.input(), ANN);
    expect(submit(page.form()).defaultPrevented).toBe(false);
  });

  it('nothing is blocked for a visitor over the limit, but the status shows the message', async () => {
    const page = installIn(FORM, {
      formValidation: false,
      blockOnRateLimit: true,
      messages: { ...MESSAGES, rateLimited: 'LIMITED' },
    });
    await ask(page.input());
    await page.service.last.answer(429, { message: 'Rate Limit Exceeded' });
    expect(statusText(page.input())).toBe('LIMITED');
    expect(customValidity(page.input())).toBe('');
    expect(submit(page.form()).defaultPrevented).toBe(false);
  });

  it('removes a set validity at once, and sets it again with true', async () => {
    const page = installIn('<form novalidate><input type="email"></form>', { messages: MESSAGES });
    await verify(page, JOE, UNDELIVERABLE);
    page.widget.set({ formValidation: false });
    expect(customValidity(page.input())).toBe('');
    expect(page.form().hasAttribute('novalidate')).toBe(true);
    page.widget.set({ formValidation: true });
    expect(customValidity(page.input())).toBe('INVALID');
    expect(page.form().hasAttribute('novalidate')).toBe(false);
  });
});
