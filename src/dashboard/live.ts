/**
 * Parts of a page that change while it is open: `<section id data-live="seconds">`. The page is fetched again, and the
 * part with the same id takes its place. When the new one has no `data-live` any more, it was the last time.
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
  // Whoever is about to press something in the part keeps it until they go on.
  if (!old.contains(document.activeElement)) replace(old, fresh);
  else if (fresh.dataset.live === undefined) {
    old.addEventListener('focusout', () => replace(old, fresh), { once: true });
    return;
  }
  follow(id);
}

function replace(old: HTMLElement, fresh: HTMLElement): void {
  tellLocalTimes(fresh);
  // What somebody has opened stays open.
  for (const { id } of old.querySelectorAll('details[id][open]')) {
    const again = fresh.querySelector<HTMLDetailsElement>(`details[id="${id}"]`);
    if (again) again.open = true;
  }
  old.replaceWith(fresh);
  fresh.dispatchEvent(new CustomEvent('renewed', { bubbles: true }));
}

async function fetchPart(id: string): Promise<HTMLElement | null> {
  try {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return page.getElementById(id);
  } catch {
    return null;
  }
}
