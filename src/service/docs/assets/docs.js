/** Makes the documentation quicker to use: results while one types, buttons to copy code, and old links that still lead. */
import { addCopyButtons } from './copy.js';
import { searchWhileTyping } from './search.js';

// The reference of the API was at /docs/ itself.
if (
  location.pathname.endsWith('/docs/') &&
  location.hash &&
  !document.getElementById(location.hash.slice(1))
) {
  location.replace(`api/${location.hash}`);
}

for (const form of document.querySelectorAll('form.search')) searchWhileTyping(form);
addCopyButtons();
