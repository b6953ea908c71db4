/**
 * A notification of the browser when a batch on an open page ends, if the owner has allowed it:
 * `<button type="button" data-notify hidden>`, and a live part with `data-notifies`.
 */
import { announce } from './announce.ts';

const ALLOWED = 'You are notified when it is ready';
const DENIED = 'Your browser does not allow notifications of this site';

/** Shows the button, unless the browser has no notifications or forbids them. */
export function offerNotice(): void {
  const button = document.querySelector<HTMLButtonElement>('button[data-notify]');
  if (!button || !('Notification' in window) || Notification.permission === 'denied') return;
  button.hidden = false;
  const tell = () => {
    const isAllowed = Notification.permission === 'granted';
    button.textContent = isAllowed ? ALLOWED : DENIED;
    button.disabled = true;
  };
  if (Notification.permission === 'granted') tell();
  button.addEventListener('click', async () => {
    // Browsers ask only after a press.
    await Notification.requestPermission();
    tell();
    announce(button.textContent);
  });
}

/** Whether a part has to be followed although nobody looks at the page. */
export const isAwaited = (part: HTMLElement | null): boolean =>
  part?.dataset.notifies !== undefined && 'Notification' in window && Notification.permission === 'granted';

/** Shows the end of a part to somebody who looks at something else. */
export function notifyOf(part: HTMLElement, text: string): void {
  if (!document.hidden || !isAwaited(part)) return;
  const notification = new Notification(text);
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
  });
}
