/** What a browser says of itself, in words by which its owner knows it. */
// Kept up, without dependencies, and with a licence that fits. `ua-parser-js` is AGPL since its version 2.
import Bowser from 'bowser';

/** @returns such as `Firefox on Linux` */
export function browserName(userAgent: string | null): string {
  // The library refuses an empty text.
  if (!userAgent) return 'Unknown browser';
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || 'Unknown browser';
  return os.name ? `${name} on ${os.name}` : name;
}
