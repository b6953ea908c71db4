/**
 * Updates the snippet when an option changes: `<form data-snippet="placeholder">`. The service writes the snippet. Only
 * the page of a new key has the key, so the script puts it in place of the placeholder there.
 */
import { chosenIn } from './chosen.ts';

export function followOptions(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-snippet]');
  if (!form) return;
  let latest = 0;
  const update = async () => {
    latest += 1;
    const number = latest;
    const text = await fetchSnippet(form);
    // A later choice has sent its own request.
    if (number !== latest || text === undefined) return;
    const key = document.getElementById('new-key')?.textContent ?? form.dataset.snippet!;
    const snippet = document.getElementById('snippet');
    if (snippet) snippet.textContent = text.replace(form.dataset.snippet!, () => key);
  };
  form.addEventListener('change', update);
  if (chosenIn(form).length > 0) void update();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void update();
  });
}

/** @returns undefined if the service cannot be reached. The snippet then stays unchanged. */
async function fetchSnippet(form: HTMLFormElement): Promise<string | undefined> {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) url.searchParams.set(name, String(value));
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } });
    if (!response.ok) return undefined;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return page.getElementById('snippet')?.textContent ?? undefined;
  } catch {
    return undefined;
  }
}
