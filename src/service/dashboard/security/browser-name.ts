/** Turns a user agent into a name that the owner recognises. */
// Maintained, without dependencies, and with a suitable licence. `ua-parser-js` is AGPL since version 2.
import Bowser from 'bowser';

/** @returns such as `Firefox on Linux` */
export function browserName(userAgent: string | null): string {
  // The library refuses an empty text.
  if (!userAgent) return 'Unknown browser';
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || 'Unknown browser';
  return os.name ? `${name} on ${os.name}` : name;
}
