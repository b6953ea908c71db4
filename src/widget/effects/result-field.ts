/** The hidden input (`resultField`) that submits the result with the form. */

import { append, create, detach } from '../prototypes.ts';

/**
 * Sets the hidden input's name and value. Without a form, a name or a text, removes it.
 *
 * @param hidden the hidden input that the last call returned
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
