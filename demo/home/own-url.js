/** Writes the URL at which this page was opened into the code to copy: the port and the folder may be others. */
import { ownBaseUrl, serviceUrl } from '../service-url.js';

for (const place of document.querySelectorAll('[data-own-url]')) {
  place.textContent = `${serviceUrl}/${place.dataset.ownUrl}`;
}

const { baseUrl } = ownBaseUrl;
if (baseUrl) {
  document.querySelector('#own-base-url').textContent = `\n  data-base-url="${baseUrl}"`;
  window.emailVerify?.(ownBaseUrl);
}
