// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { followOptions } from '../../src/dashboard/snippet.ts';

const KEY = 'test_abcdWXYZ';
const page = (snippet: string) => `<!doctype html><code id="snippet">${snippet}</code>`;
const asked: string[] = [];
let answer: (url: string) => Promise<Response>;

beforeEach(() => {
  asked.length = 0;
  answer = async () => new Response(page('&lt;script data-api-key="test_…WXYZ" data-verify-on="blur"&gt;'));
  vi.stubGlobal('fetch', (url: URL) => {
    asked.push(url.href);
    return answer(url.href);
  });
  document.body.innerHTML = `<code id="new-key">${KEY}</code><code id="snippet">before</code>
<form action="https://verify.example/dashboard/keys/key_1/snippet" data-snippet="test_…WXYZ">
<select name="verifyOn"><option value="input" selected>a</option><option value="blur">b</option></select>
<button>Update the snippet</button></form>`;
});

const text = () => document.getElementById('snippet')!.textContent;
const choose = () => document.querySelector('select')!.dispatchEvent(new Event('change', { bubbles: true }));

it('asks the service for the chosen options, and puts the new key in', async () => {
  followOptions();
  document.querySelector('select')!.value = 'blur';
  choose();
  await vi.waitFor(() => expect(text()).toBe(`<script data-api-key="${KEY}" data-verify-on="blur">`));
  expect(asked).toEqual(['https://verify.example/dashboard/keys/key_1/snippet?verifyOn=blur']);
});

it('keeps the placeholder on a page that does not have the key', async () => {
  document.getElementById('new-key')!.remove();
  followOptions();
  const event = new Event('submit', { cancelable: true });
  document.querySelector('form')!.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  await vi.waitFor(() => expect(text()).toContain('"test_…WXYZ"'));
});

it('shows what was chosen last, however late an earlier answer comes', async () => {
  const answers: ((response: Response) => void)[] = [];
  answer = () => new Promise((resolve) => void answers.push(resolve));
  followOptions();
  choose();
  choose();
  answers[1]!(new Response(page('second')));
  await vi.waitFor(() => expect(text()).toBe('second'));
  const late = new Response(page('first'));
  answers[0]!(late);
  await vi.waitFor(() => expect(late.bodyUsed).toBe(true));
  await new Promise((resolve) => setTimeout(resolve));
  expect(text()).toBe('second');
});

it.each([
  ['the service cannot be reached', () => Promise.reject(new TypeError('offline'))],
  ['the session has ended', async () => new Response('', { status: 404 })],
  ['the page has no snippet', async () => new Response('<form></form>')],
])('leaves the snippet as it is when %s', async (_when, failing) => {
  answer = failing;
  followOptions();
  choose();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  await new Promise((resolve) => setTimeout(resolve));
  expect(text()).toBe('before');
});

it('does nothing on other pages', () => {
  document.body.innerHTML = '';
  expect(followOptions).not.toThrow();
});

it('forgets a choice whose snippet is gone', async () => {
  followOptions();
  document.getElementById('snippet')!.remove();
  choose();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
});

it('shows the snippet of an option that was chosen before its script ran', async () => {
  document.querySelector('select')!.value = 'blur';
  followOptions();
  await vi.waitFor(() => expect(text()).toContain('data-verify-on="blur"'));
});

it('asks nothing where nothing was chosen', () => {
  document.querySelector('option')!.removeAttribute('selected');
  followOptions();
  expect(asked).toEqual([]);
});
