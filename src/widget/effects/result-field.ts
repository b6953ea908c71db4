/** The hidden input (`resultField`) that carries the result to the form's own server while its verdict stands. */

import { append, create, detach } from '../prototypes.ts';

/** @returns what shows a JSON text under a name; without form, name or text there is no hidden input */
export function createResultField(): (form: HTMLFormElement | null, name: string, json: string) => void {
  const hidden = create('input') as HTMLInputElement;
  hidden.type = 'hidden';

  return (form, name, json) => {
    hidden.name = name;
    hidden.value = json;
    if (!form || !name || !json) detach(hidden);
    else if (hidden.parentNode !== form) append(form, hidden);
  };
}
