/** The hidden inputs that submit the result and its proof with the form: `resultField` and `proofField`. */

import { append, create, detach, setAttribute } from '../prototypes.ts';

/**
 * Sets a hidden input's name and value. Without a form, a name or a text, removes it.
 *
 * @param hidden the hidden input that the last call returned
 */
export function carry(
  hidden: HTMLInputElement | undefined,
  form: HTMLFormElement | null,
  name: string,
  text: string | false | null | undefined,
): HTMLInputElement | undefined {
  if (form && name && text) {
    if (!hidden) {
      hidden = create('input') as HTMLInputElement;
      hidden.type = 'hidden';
    }
    setAttribute(hidden, 'name', name);
    setAttribute(hidden, 'value', text);
    if (hidden.parentNode !== form) append(form, hidden);
  } else if (hidden) detach(hidden);
  return hidden;
}
