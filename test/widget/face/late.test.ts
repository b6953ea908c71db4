// @vitest-environment happy-dom
import { expect, it, onTestFinished, vi } from 'vitest';
import { presentFace, setPresentFace } from '../../../src/widget/seam.ts';
import { createWidget } from '../../../src/widget/widget.ts';
import {
  customValidity,
  enter,
  FORM,
  JOE,
  openPage,
  stateOf,
  statuses,
  statusText,
  verify,
  wait,
} from '../page-under-test.ts';
import { settle } from '../scripted-fetch.ts';

const UNDELIVERABLE = { state: 'undeliverable' };

/** A page whose face comes when a test says so. */
function openWithoutFace(html = FORM) {
  const face = presentFace();
  setPresentFace(undefined);
  const page = openPage(html);
  let resolve: () => void;
  let reject: (reason: string) => void;
  const promise = new Promise<void>((succeed, fail) => {
    resolve = succeed;
    reject = fail;
  });
  const load = vi.fn((_baseUrl?: string) => promise);
  const widget = createWidget(() => 'https://widget.example', load);
  widget.set({ apiKey: 'test_public', baseUrl: 'https://api.example' });
  onTestFinished(() => {
    widget.destroy();
    setPresentFace(face);
  });
  vi.advanceTimersByTime(250);
  return {
    page: { ...page, widget },
    load,
    arrive: () => {
      setPresentFace(face);
      resolve();
      return settle();
    },
    fail: () => {
      reject('Expected https://widget.example/v2/face.js.');
      return settle();
    },
  };
}

it('is asked for once, when a visitor first uses an input', () => {
  const { page, load } = openWithoutFace('<input type="email" id="a"><input type="email" id="b">');
  expect(load).not.toHaveBeenCalled();
  enter(page.input('#a'));
  enter(page.input('#b'));
  expect(load.mock.calls).toEqual([['https://api.example']]);
});

it('shows what stands when it comes late', async () => {
  const { page, arrive } = openWithoutFace();
  await verify(page, JOE, UNDELIVERABLE);
  expect([stateOf(page.input()), statuses()]).toEqual(['rejected', []]);
  const message = customValidity(page.input());
  expect(message).toMatch(/\w/);
  await arrive();
  // Screen readers announce the text of a live region that was there before it.
  expect(statusText(page.input())).toBe('');
  await wait(250);
  expect(statusText(page.input())).toBe(message);
  expect(page.warn).not.toHaveBeenCalled();
});

it('takes nothing off the input of the next widget when it comes after its own has been removed', async () => {
  const { page, arrive } = openWithoutFace();
  await verify(page, JOE, UNDELIVERABLE);
  page.widget.destroy();
  // It asks for the file once more, and waits still when the file comes for the first one.
  const widget = createWidget(
    () => 'https://widget.example',
    () => new Promise(() => {}),
  );
  onTestFinished(() => widget.destroy());
  widget.set({ apiKey: 'test_public', baseUrl: 'https://api.example' });
  await verify({ ...page, widget }, JOE, UNDELIVERABLE);
  expect(stateOf(page.input())).toBe('rejected');
  await arrive();
  expect([stateOf(page.input()), customValidity(page.input())]).toEqual([
    'rejected',
    expect.stringMatching(/\w/),
  ]);
});

it('says once that it has failed, and is not asked for again', async () => {
  const { page, load, fail } = openWithoutFace();
  await verify(page, JOE, UNDELIVERABLE);
  await fail();
  await verify(page, 'ann@shop.example');
  expect(stateOf(page.input())).toBe('accepted');
  expect(page.warn.mock.calls).toEqual([
    ['email-verify-widget: Expected https://widget.example/v2/face.js.'],
  ]);
  expect(load).toHaveBeenCalledTimes(1);
  expect(statuses()).toEqual([]);
});
