/** Updates the figures of a list when a choice changes. Without scripts, a button does that. */

import { chosenIn } from './chosen.ts';

/** The choices that change the figures. */
const CHOICES = new Set(['titles', 'split', 'leave_out', 'leave_out_hidden', 'mode']);
const COLUMN = /^column-\d+$/;
const FAILED = 'The figures could not be updated. Press “Update the figures”.';

export function followChoices(): void {
  const form = document.querySelector<HTMLFormElement>('form#review');
  const button = document.getElementById('look');
  if (!form || !button) return;
  button.hidden = true;
  let latest = new AbortController();
  const update = async () => {
    latest.abort();
    latest = new AbortController();
    const { signal } = latest;
    form.setAttribute('aria-busy', 'true');
    const isDone = await renew(form, signal);
    // A newer choice sends its own request.
    if (signal.aborted) return;
    form.removeAttribute('aria-busy');
    button.hidden = isDone;
    if (!isDone) document.getElementById('cost')!.textContent = FAILED;
  };
  form.addEventListener('change', ({ target }) => {
    if (hasFigures(target as HTMLInputElement)) void update();
  });
  if (chosenIn(form).some(hasFigures)) void update();
}

const hasFigures = ({ name }: { readonly name: string }) => CHOICES.has(name) || COLUMN.test(name);

/** @returns whether the page shows the figures for the current choices */
async function renew(form: HTMLFormElement, signal: AbortSignal): Promise<boolean> {
  try {
    const body = new URLSearchParams({ act: 'look' });
    for (const [name, value] of new FormData(form)) body.append(name, String(value));
    const response = await fetch(form.action, { method: 'POST', body, signal });
    // A choice that cannot be started has figures, too.
    if (!response.ok && response.status !== 422) return false;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!page.getElementById(form.id)) return false;
    for (const old of form.ownerDocument.querySelectorAll('[data-renew]')) {
      // The elements stay, so that a screen reader announces the change and the focus does not move.
      const fresh = page.getElementById(old.id);
      if (fresh) old.replaceChildren(...fresh.childNodes);
    }
    return true;
  } catch {
    return false;
  }
}
