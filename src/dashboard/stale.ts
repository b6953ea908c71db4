/** Tells the reader that an open page could not be updated, and why. Otherwise old figures would look current. */
import { make } from './make.ts';

/** The wait before the next try after a failed update. */
export const RETRY_MS = 10_000;

export type StaleReason = 'unavailable' | 'signed out' | 'gone';

const WORDS: Record<StaleReason, { readonly text: string; readonly link?: string }> = {
  unavailable: {
    text: `This page cannot be updated at the moment, so it may be out of date. It tries again every ${RETRY_MS / 1000} seconds.`,
  },
  'signed out': { text: 'Your session has ended, so this page is no longer updated.', link: 'Sign in' },
  gone: { text: 'This page is out of date. What it shows has been deleted.', link: 'Load the page again' },
};

const ID = 'stale';

/** Shows the reason once, however many parts of the page fail. */
export function tellStale(reason: StaleReason): void {
  const shown = document.getElementById(ID);
  if (shown?.dataset.reason === reason) return;
  const note = make('p', { id: ID, className: 'problem' });
  note.dataset.reason = reason;
  note.setAttribute('role', 'alert');
  const { text, link } = WORDS[reason];
  note.append(text);
  if (link !== undefined)
    note.append(' ', make('a', { href: location.href.replace(/#.*/, ''), textContent: link }));
  if (shown) shown.replaceWith(note);
  else document.querySelector('main')?.prepend(note);
}

/** Removes the note after a successful update. */
export function tellCurrent(): void {
  document.getElementById(ID)?.remove();
}
