// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copyOnPress } from '../../src/dashboard/copy.ts';
import { tellLocalTimes } from '../../src/dashboard/times.ts';

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = '<code id="key">test_1</code><button data-copy="key" hidden>Copy</button>';
});

afterEach(() => {
  vi.useRealTimers();
});

const button = () => document.querySelector('button')!;
const pressWith = async (writeText: (text: string) => Promise<void>) => {
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  copyOnPress();
  button().click();
  await vi.advanceTimersByTimeAsync(0);
};

const said = () => document.querySelector('[aria-live]')?.textContent;

it('has a screen reader say that the text was copied, each time', async () => {
  await pressWith(async () => {});
  expect(said()).toBe('Copied');
  button().click();
  await vi.advanceTimersByTimeAsync(0);
  // The same text again would be no change.
  expect(said()).toBe('Copied\u00a0');
});

it('copies the text, says so, and says what it does again', async () => {
  const copied: string[] = [];
  await pressWith(async (text) => void copied.push(text));
  expect([button().hidden, copied, button().textContent]).toEqual([false, ['test_1'], 'Copied']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(button().textContent).toBe('Copy');
});

it('says what to do instead if the browser does not let it copy', async () => {
  await pressWith(() => Promise.reject(new Error('denied')));
  expect(button().textContent).toContain('select the text instead');
  expect(said()).toContain('select the text instead');
});

it('stays hidden where nothing can be copied', () => {
  vi.stubGlobal('navigator', {});
  copyOnPress();
  expect(button().hidden).toBe(true);
});

it("tells moments in the reader's time zone, and leaves days and nonsense alone", () => {
  document.body.innerHTML =
    '<time datetime="2026-11-22T10:00:00Z">a</time><time datetime="2026-11-22">b</time><time datetime="T">c</time>';
  tellLocalTimes(document);
  const [moment, day, nonsense] = document.querySelectorAll('time');
  expect(moment!.textContent).toMatch(/2026.*\d\d:\d\d/);
  expect(moment!.title).not.toBe('');
  expect([day!.textContent, nonsense!.textContent]).toEqual(['b', 'c']);
});
