/** Writes the URL at which this page was opened into the code to copy: the port and the folder may be others. */
const root = new URL('..', import.meta.url);

for (const place of document.querySelectorAll('[data-own-url]')) {
  place.textContent = new URL(place.dataset.ownUrl, root).href;
}
