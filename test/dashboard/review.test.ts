// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followChoices } from '../../src/dashboard/review.ts';

const page = (cost: string, column: string) => `<main id="main"><form id="review" action="/dashboard/lists/1">
<input type="hidden" name="form_token" value="t">
<input type="checkbox" id="a" name="column-0"><input type="checkbox" id="b" name="column-1">
<input id="name" name="name" value="x"><button id="look">Update the figures</button>
<div id="figures" data-renew>${column}</div><p id="gone" data-renew>stays</p></form><p id="cost" data-renew>${cost}</p></main>`;

const fetched = vi.fn<typeof fetch>();
beforeEach(() => {
  vi.stubGlobal('fetch', fetched);
  document.body.innerHTML = page('2 credits', 'two');
  followChoices();
});
afterEach(() => fetched.mockReset());

const answer = (html: string, status = 200) => new Response(html, { status });
const textOf = (id: string) => document.getElementById(id)!.textContent;
const look = () => document.getElementById('look') as HTMLButtonElement;
function choose(id: string): void {
  const field = document.getElementById(id) as HTMLInputElement;
  field.focus();
  field.checked = true;
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

it('does nothing on other pages', () => {
  document.body.innerHTML = '<form id="review"></form>';
  expect(() => followChoices()).not.toThrow();
});

it('shows the figures of what is chosen, and leaves the focus and the elements where they are', async () => {
  expect(look().hidden).toBe(true);
  fetched.mockResolvedValue(answer(page('5 credits', '<b>five</b>').replace('id="gone"', '')));
  const cost = document.getElementById('cost');
  choose('a');
  expect(document.getElementById('review')!.getAttribute('aria-busy')).toBe('true');
  await vi.waitFor(() => expect(textOf('cost')).toBe('5 credits'));
  expect([textOf('figures'), textOf('gone')]).toEqual(['five', 'stays']);
  expect([document.getElementById('cost'), document.activeElement?.id]).toEqual([cost, 'a']);
  await vi.waitFor(() => expect(document.getElementById('review')!.hasAttribute('aria-busy')).toBe(false));
  const [, { body, method }] = fetched.mock.calls[0] as [string, RequestInit];
  expect([method, String(body)]).toEqual(['POST', 'act=look&form_token=t&column-0=on&name=x']);
});

it('shows the figures and the cost of a choice that cannot be started', async () => {
  fetched.mockResolvedValue(answer(page('Expected at most 10 columns', 'ten'), 422));
  choose('a');
  await vi.waitFor(() => expect(textOf('cost')).toBe('Expected at most 10 columns'));
  expect([textOf('figures'), look().hidden]).toEqual(['ten', true]);
});

it('asks nothing for what the figures do not depend on', () => {
  document.getElementById('name')!.dispatchEvent(new Event('change', { bubbles: true }));
  expect(fetched).not.toHaveBeenCalled();
});

it('shows only the figures of the latest choice', async () => {
  let answerFirst!: (response: Response) => void;
  fetched.mockReturnValueOnce(
    new Promise((resolve) => {
      answerFirst = resolve;
    }),
  );
  fetched.mockResolvedValueOnce(answer(page('7 credits', 'b')));
  choose('a');
  const [, { signal }] = fetched.mock.calls[0] as [string, RequestInit];
  choose('b');
  expect(signal!.aborted).toBe(true);
  await vi.waitFor(() => expect(textOf('cost')).toBe('7 credits'));
  answerFirst(answer('', 500));
  await vi.waitFor(() => expect(document.getElementById('review')!.hasAttribute('aria-busy')).toBe(false));
  expect([textOf('cost'), look().hidden]).toEqual(['7 credits', true]);
});

it.each<[string, () => Promise<Response>]>([
  ['an error', async () => answer('', 503)],
  ['a broken connection', () => Promise.reject(new TypeError('failed'))],
  ['another page, such as a sign-in', async () => answer('<main id="main">Sign in</main>')],
])('shows the button again after %s', async (_what, reply) => {
  fetched.mockImplementation(reply);
  choose('a');
  await vi.waitFor(() => expect(textOf('cost')).toContain('could not be updated'));
  expect(look().hidden).toBe(false);
});

it('shows the figures of a choice that was made before its script ran', async () => {
  document.body.innerHTML = page('2 credits', 'two');
  (document.getElementById('a') as HTMLInputElement).checked = true;
  (document.getElementById('name') as HTMLInputElement).value = 'May';
  fetched.mockResolvedValue(answer(page('5 credits', 'five')));
  followChoices();
  await vi.waitFor(() => expect(textOf('cost')).toBe('5 credits'));
  expect(fetched).toHaveBeenCalledTimes(1);
});

it('asks nothing for a name that was filled in before its script ran', () => {
  document.body.innerHTML = page('2 credits', 'two');
  (document.getElementById('name') as HTMLInputElement).value = 'May';
  followChoices();
  expect(fetched).not.toHaveBeenCalled();
});
