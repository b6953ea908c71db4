/**
 * Updates parts of an open page: `<section id data-live="seconds">`. The script fetches the page again and replaces the
 * part by the new one with the same id. It stops when the new part has no `data-live`.
 *
 * A part with `data-live-kept` is replaced only by that last one, because its reader may be in the middle of it. Screen
 * readers say the text of `data-says`, which a part has at its end.
 */
import { announce } from './announce.ts';
import { isAwaited, notifyOf } from './notice.ts';
import { RETRY_MS, tellCurrent, tellStale } from './stale.ts';
import { tellLocalTimes } from './times.ts';

/** While nobody looks at the page, only its title shows that a part with `data-notifies` has ended. */
const HIDDEN_MS = 60_000;

/** The parts that are updated as soon as somebody looks at the page, by their ids. */
const waiting = new Set<string>();

/** The updates that are planned, by the id of the part. */
const planned = new Map<string, ReturnType<typeof setTimeout>>();

export function followLiveParts(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    for (const id of waiting) void renew(id);
  });
  for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) follow(part.id);
}

function follow(id: string): void {
  const part = document.getElementById(id);
  const seconds = Number(part?.dataset.live);
  if (seconds > 0) plan(id, seconds * 1000);
}

function plan(id: string, ms: number, isSlow = false): void {
  clearTimeout(planned.get(id));
  const timer = setTimeout(() => void renew(id, isSlow), ms);
  planned.set(id, timer);
}

/** @param isSlow whether the page was hidden for `HIDDEN_MS` */
async function renew(id: string, isSlow = false): Promise<void> {
  const old = document.getElementById(id);
  if (!old) return;
  // A hidden page sends few requests or none, unless somebody waits for a notification.
  if (document.hidden && !isAwaited(old) && !isSlow) {
    waiting.add(id);
    if (old.dataset.notifies !== undefined) plan(id, HIDDEN_MS, true);
    return;
  }
  waiting.delete(id);
  const page = await fetchOnce();
  // The last update of another part has brought this one along, out of the same page.
  if (!old.isConnected || isLast(old)) return;
  const fresh = typeof page === 'string' ? null : page.getElementById(id);
  if (typeof page === 'string' || !fresh) {
    // The sign-in form comes with status 200 and without the part.
    tellStale(typeof page === 'string' ? page : 'signed out');
    plan(id, RETRY_MS);
    return;
  }
  tellCurrent();
  document.title = page.title || document.title;
  update(old, fresh);
  if (!isLast(fresh)) return;
  // The other parts would contradict this one until their turn.
  for (const other of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const its = page.getElementById(other.id);
    if (its) update(other, its);
  }
}

const isLast = (part: HTMLElement): boolean => part.dataset.live === undefined;

function update(old: HTMLElement, fresh: HTMLElement): void {
  // A part with the focus stays: its user may be about to press something in it.
  if (old.contains(document.activeElement)) {
    if (isLast(fresh)) {
      clearTimeout(planned.get(old.id));
      replaceOnLeaving(old, fresh);
      return;
    }
  } else if (isLast(fresh) || old.dataset.liveKept === undefined) replace(old, fresh);
  follow(old.id);
}

function replaceOnLeaving(old: HTMLElement, fresh: HTMLElement): void {
  // Its user may stay there for long, and hears of the end at once.
  tellEnd(old, fresh);
  delete fresh.dataset.says;
  // It is not updated any more.
  delete old.dataset.live;
  old.addEventListener('focusout', function leave({ relatedTarget }) {
    // The focus moved within the part.
    if (relatedTarget instanceof Node && old.contains(relatedTarget)) return;
    old.removeEventListener('focusout', leave);
    replace(old, fresh);
  });
}

function tellEnd(old: HTMLElement, { dataset: { says } }: HTMLElement): void {
  if (says === undefined) return;
  announce(says);
  notifyOf(old, says);
}

function replace(old: HTMLElement, fresh: HTMLElement): void {
  tellLocalTimes(fresh);
  // Opened details stay open.
  for (const { id } of old.querySelectorAll('details[id][open]')) {
    const again = fresh.querySelector<HTMLDetailsElement>(`details[id="${id}"]`);
    if (again) again.open = true;
  }
  clearTimeout(planned.get(old.id));
  old.replaceWith(fresh);
  tellEnd(old, fresh);
  for (const part of fresh.querySelectorAll<HTMLElement>('[data-live]')) follow(part.id);
  fresh.dispatchEvent(new CustomEvent('renewed', { bubbles: true }));
}

/** The page, or why there is none. */
type Fetched = Document | 'gone' | 'unavailable';

/** The fetch in progress. Parts that update at the same time share it. */
let fetching: Promise<Fetched> | undefined;

function fetchOnce(): Promise<Fetched> {
  fetching ??= fetchPage().finally(() => {
    fetching = undefined;
  });
  return fetching;
}

async function fetchPage(): Promise<Fetched> {
  try {
    // The reader has done nothing, so it is no use of the session (`by-itself.ts` of the service).
    const headers = { Accept: 'text/html', 'X-By-Itself': '1' };
    const response = await fetch(location.href, { headers });
    if (response.status === 404) return 'gone';
    if (!response.ok) return 'unavailable';
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return 'unavailable';
  }
}
