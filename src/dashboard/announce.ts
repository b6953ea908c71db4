/** Has screen readers say what changes on an open page. They say only what changes in a region that was there before. */
import { make } from './make.ts';

const ID = 'announced';

/** Makes the region. Call it when the page is there. */
export function prepareAnnouncements(): void {
  if (document.getElementById(ID)) return;
  const region = make('p', { id: ID, className: 'unseen' });
  region.setAttribute('aria-live', 'polite');
  document.body.append(region);
}

export function announce(text: string): void {
  prepareAnnouncements();
  const region = document.getElementById(ID)!;
  // The same text again would be no change.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
