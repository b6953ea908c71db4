/** The hidden input (`resultField`) that carries the result to the form's own server while its verdict stands. */

import { append, create, detach } from '../prototypes.ts';

/**
 * Shows a JSON text under a name; without form, name or text there is no hidden input.
 *
 * @param hidden what the last call has returned
 */
export function showResult(
  hidden: HTMLInputElement | undefined,
  form: HTMLFormElement | null,
  name: string,
  json: string,
): HTMLInputElement | undefined {
  if (form && name && json) {
    if (!hidden) {
      hidden = create('input') as HTMLInputElement;
      hidden.type = 'hidden';
    }
    hidden.name = name;
    hidden.value = json;
    if (hidden.parentNode !== form) append(form, hidden);
  } else if (hidden) detach(hidden);
  return hidden;
}
