/**
 * Parts of a page that change while it is open: `<section id data-live="seconds">`. The page is fetched again, and the
 * part with the same id takes its place. When the new one has no `data-live` any more, it was the last time.
 *
 * A part with `data-live-kept` stays as it is until then: somebody reads it or looks through it.
 */
import { tellLocalTimes } from './times.ts';

/** A page that cannot be fetched is tried again after this. */
const RETRY_MS = 10_000;

export function followLiveParts(): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) follow(part.id);
}

function follow(id: string): void {
  const part = document.getElementById(id);
  const seconds = Number(part?.dataset.live);
  if (!(seconds > 0)) return;
  setTimeout(() => void renew(id), seconds * 1000);
}

async function renew(id: string): Promise<void> {
  // A page that nobody looks at asks for nothing.
  if (document.hidden) {
    document.addEventListener('visibilitychange', () => void renew(id), { once: true });
    return;
  }
  const fresh = await fetchPart(id);
  const old = document.getElementById(id);
  if (!fresh || !old) {
    setTimeout(() => void renew(id), RETRY_MS);
    return;
  }
  const isLast = fresh.dataset.live === undefined;
  // Whoever is about to press something in the part keeps it until they go on.
  if (old.contains(document.activeElement)) {
    if (isLast) {
      replaceOnLeaving(old, fresh);
      return;
    }
  } else if (isLast || old.dataset.liveKept === undefined) replace(old, fresh);
  follow(id);
}

function replaceOnLeaving(old: HTMLElement, fresh: HTMLElement): void {
  old.addEventListener('focusout', function leave({ relatedTarget }) {
    // The next thing in the same part.
    if (relatedTarget instanceof Node && old.contains(relatedTarget)) return;
    old.removeEventListener('focusout', leave);
    replace(old, fresh);
  });
}

function replace(old: HTMLElement, fresh: HTMLElement): void {
  tellLocalTimes(fresh);
  // What somebody has opened stays open.
  for (const { id } of old.querySelectorAll('details[id][open]')) {
    const again = fresh.querySelector<HTMLDetailsElement>(`details[id="${id}"]`);
    if (again) again.open = true;
  }
  old.replaceWith(fresh);
  for (const part of fresh.querySelectorAll<HTMLElement>('[data-live]')) follow(part.id);
  fresh.dispatchEvent(new CustomEvent('renewed', { bubbles: true }));
}

/** The page that is being fetched. Parts that are renewed at the same time share it. */
let fetching: Promise<Document | null> | undefined;

async function fetchPart(id: string): Promise<HTMLElement | null> {
  fetching ??= fetchPage().finally(() => {
    fetching = undefined;
  });
  return (await fetching)?.getElementById(id) ?? null;
}

async function fetchPage(): Promise<Document | null> {
  try {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!response.ok) return null;
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return null;
  }
}
