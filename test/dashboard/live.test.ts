// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followLiveParts } from '../../src/dashboard/live.ts';

const part = (text: string, isLive = true) =>
  `<main><section id="progress"${isLive ? ' data-live="2"' : ''}>${text}</section><p>outside</p></main>`;

/** What the service answers, one after the other. */
let pages: (string | Error)[];
let asked: number;

const STATUS: Record<string, number> = { '!': 503, '?': 404 };

beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  pages = [];
  vi.stubGlobal('fetch', async () => {
    asked += 1;
    const page = pages.shift();
    if (page === undefined || page instanceof Error) throw page ?? new Error('no page is left');
    return new Response(page, { status: STATUS[page] ?? 200 });
  });
  document.body.innerHTML = part('1 of 3');
  followLiveParts();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Each answer takes 100 ms of vitest's clock. No real time passes. */
function answerLater() {
  const answerNow = fetch;
  vi.stubGlobal('fetch', async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return answerNow('');
  });
}

const text = () => document.getElementById('progress')!.textContent;

const note = () => document.querySelector('[role=alert]')?.textContent;

describe('a live part', () => {
  it('is renewed until the page says that it is done', async () => {
    pages = [part('2 of 3'), part('3 of 3', false)];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(text()).toBe('2 of 3');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(text()).toBe('3 of 3');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(2);
  });

  it('stays as it is while the service cannot be reached, and goes on later', async () => {
    pages = [new Error('offline'), '!', part('2 of 3')];
    await vi.advanceTimersByTimeAsync(12_000);
    expect(text()).toBe('1 of 3');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(text()).toBe('2 of 3');
  });

  it('says that the page may be out of date while the service cannot be reached', async () => {
    pages = [new Error('offline'), '!', part('2 of 3')];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(note()).toContain('This page cannot be updated at the moment, so it may be out of date.');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(document.querySelectorAll('[role=alert]')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([text(), note()]).toEqual(['2 of 3', undefined]);
  });

  it.each([
    ['the session has ended', '<main><form id="sign-in"></form></main>', 'Your session has ended', 'Sign in'],
    ['it was deleted in another tab', '?', 'What it shows has been deleted.', 'Load the page again'],
  ])('says that %s, instead of showing old figures for ever', async (_case, page, words, link) => {
    pages = [page, part('2 of 3')];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(note()).toContain(words);
    expect(document.querySelector('[role=alert] a')?.textContent).toBe(link);
    // After a sign-in in another tab, the page goes on.
    await vi.advanceTimersByTimeAsync(10_000);
    expect([text(), note()]).toEqual(['2 of 3', undefined]);
  });

  it('is left alone while somebody is about to press something in it', async () => {
    document.getElementById('progress')!.innerHTML = '<button>Pause</button>';
    document.querySelector('button')!.focus();
    pages = [part('2 of 3'), part('3 of 3', false)];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(text()).toBe('Pause');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(text()).toBe('Pause');
    document.querySelector('button')!.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
    expect(text()).toBe('3 of 3');
  });

  it('keeps open what somebody has opened', async () => {
    const details = (open = '') =>
      `<details id="a"${open}>a</details><details id="b">b</details><details id="c"${open}>c</details>`;
    document.getElementById('progress')!.innerHTML = details(' open');
    pages = [part(details().replace('<details id="c">c</details>', ''), false)];
    await vi.advanceTimersByTimeAsync(2_000);
    const states = Array.from(document.querySelectorAll('details'), ({ id, open }) => `${id} ${open}`);
    expect(states).toEqual(['a true', 'b false']);
  });

  it('asks for nothing while nobody looks at the page', async () => {
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    pages = [part('2 of 3', false)];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(0);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(text()).toBe('2 of 3');
  });

  it('changes the title of a page that nobody looks at, asking once a minute', async () => {
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    const notifying = (text: string) => part(text).replace(' data-live', ' data-notifies data-live');
    document.getElementById('progress')!.dataset.notifies = '';
    pages = [notifying('2 of 3'), `<title>Completed</title>${part('3 of 3', false)}`];
    await vi.advanceTimersByTimeAsync(62_000);
    expect([asked, text()]).toEqual([1, '2 of 3']);
    await vi.advanceTimersByTimeAsync(62_000);
    expect([asked, document.title]).toEqual([2, 'Completed']);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(2);
  });

  it('that is read stays as it is until the end, and is whole then', async () => {
    vi.clearAllTimers();
    document.body.innerHTML = '<section id="table" data-live="2" data-live-kept>old</section>';
    followLiveParts();
    const table = (text: string, live: string) =>
      `<section id="table"${live}>${text}</section>${part('-', false)}`;
    pages = [table('newer', ' data-live="2" data-live-kept'), table('whole', '')];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(document.getElementById('table')!.textContent).toBe('old');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(document.getElementById('table')!.textContent).toBe('whole');
  });

  it('stays while somebody goes from one thing in it to the next, also at the end', async () => {
    document.getElementById('progress')!.innerHTML = '<a href="#1">1</a><a href="#2">2</a>';
    const [first, second] = document.querySelectorAll('a');
    first!.focus();
    pages = [part('3 of 3', false)];
    await vi.advanceTimersByTimeAsync(2_000);
    const leaveFor = (relatedTarget: Element | null) =>
      first!.dispatchEvent(new FocusEvent('focusout', { bubbles: true, relatedTarget }));
    leaveFor(second!);
    expect(text()).toBe('12');
    leaveFor(null);
    expect(text()).toBe('3 of 3');
  });

  it('follows the live parts that come with it, and asks once for parts of the same time', async () => {
    vi.clearAllTimers();
    answerLater();
    document.body.innerHTML = '<section id="results" data-live="2">There are no results yet.</section>';
    followLiveParts();
    const inner = (text: string, live = '') =>
      `<section id="results"><div id="a"${live}>${text}</div><div id="b"${live}>${text}</div></section>`;
    pages = [inner('1', ' data-live="3"'), inner('2')];
    await vi.advanceTimersByTimeAsync(2_100);
    expect(document.getElementById('a')!.textContent).toBe('1');
    await vi.advanceTimersByTimeAsync(3_100);
    expect(document.getElementById('results')!.textContent).toBe('22');
    expect(asked).toBe(2);
  });

  it.each([
    ['later', 60],
    ['at the same time', 2],
  ])('brings the other parts along when it ends, which are due %s, and has its end said', async (_due, s) => {
    vi.clearAllTimers();
    answerLater();
    const parts = (end: boolean, text: string) =>
      `<main><section id="a"${end ? ' data-says="It was completed."' : ' data-live="2"'}>${text}</section><section id="b"${end ? '' : ` data-live="${s}"`}>${text}</section></main>`;
    document.body.innerHTML = parts(false, 'open');
    followLiveParts();
    pages = [`<title>Completed</title>${parts(true, 'completed')}`];
    await vi.advanceTimersByTimeAsync(2_100);
    for (const id of ['a', 'b']) expect(document.getElementById(id)!.textContent).toBe('completed');
    expect(document.querySelector('body > [aria-live]')!.textContent).toBe('It was completed.');
    expect(document.title).toBe('Completed');
    await vi.advanceTimersByTimeAsync(600_000);
    expect([asked, note()]).toEqual([1, undefined]);
  });

  it('has its end said at once to somebody who is in it, and changes once they leave', async () => {
    document.getElementById('progress')!.innerHTML = '<button>Pause</button>';
    document.querySelector('button')!.focus();
    pages = [part('3 of 3', false).replace('<section', '<section data-says="It was completed."')];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(text()).toBe('Pause');
    expect(document.querySelector('body > [aria-live]')!.textContent).toBe('It was completed.');
    document.querySelector('button')!.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
    expect(text()).toBe('3 of 3');
  });
});
