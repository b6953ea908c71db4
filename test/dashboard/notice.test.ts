// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followLiveParts } from '../../src/dashboard/live.ts';
import { offerNotice } from '../../src/dashboard/notice.ts';

const shown: string[] = [];

class FakeNotification extends EventTarget {
  static permission = 'default';
  static answer = 'granted';
  static async requestPermission(): Promise<string> {
    FakeNotification.permission = FakeNotification.answer;
    return FakeNotification.answer;
  }
  constructor(text: string) {
    super();
    shown.push(text);
  }
  close(): void {}
}

const part = (end: boolean) =>
  `<main><section id="progress"${end ? ' data-says="The batch was completed."' : ' data-live="2" data-notifies'}>x</section></main>`;

beforeEach(() => {
  vi.useFakeTimers();
  shown.length = 0;
  Object.assign(FakeNotification, { permission: 'default', answer: 'granted' });
  vi.stubGlobal('Notification', FakeNotification);
  document.body.innerHTML = `<button type="button" data-notify hidden>Notify me</button>${part(false)}`;
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const button = () => document.querySelector<HTMLButtonElement>('button[data-notify]')!;

async function press(): Promise<void> {
  offerNotice();
  button().click();
  await vi.advanceTimersByTimeAsync(0);
}

it('asks the browser only after a press, and says what came of it', async () => {
  offerNotice();
  expect([button().hidden, FakeNotification.permission]).toEqual([false, 'default']);
  await press();
  expect([button().disabled, button().textContent]).toEqual([true, 'You are notified when it is ready']);
});

it('says that the browser does not allow it', async () => {
  FakeNotification.answer = 'denied';
  await press();
  expect(button().textContent).toContain('does not allow notifications');
});

it('is not offered where the browser forbids it', () => {
  FakeNotification.permission = 'denied';
  offerNotice();
  expect(button().hidden).toBe(true);
});

it('shows the end of a batch to somebody who looks at another page', async () => {
  const asked = vi.fn(async () => new Response(part(true)));
  vi.stubGlobal('fetch', asked);
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  await press();
  followLiveParts();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shown).toEqual(['The batch was completed.']);
});

it('shows nothing to somebody who looks at the page, and asks nothing for somebody who has not allowed it', async () => {
  const asked = vi.fn(async () => new Response(part(true)));
  vi.stubGlobal('fetch', asked);
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  followLiveParts();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).not.toHaveBeenCalled();
  await press();
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.mock.calls.length, shown]).toEqual([1, []]);
});
