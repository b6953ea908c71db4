/** The hidden input (`resultField`) that carries the result to the form's own server while its verdict stands. */

import { append, create, detach } from '../prototypes.ts';

/** @returns what shows a JSON text under a name; without form, name or text there is no hidden input */
export function createResultField(): (form: HTMLFormElement | null, name: string, json: string) => void {
  let hidden: HTMLInputElement | undefined;

  return (form, name, json) => {
    if (!form || !name || !json) {
      if (hidden) detach(hidden);
      return;
    }
    if (!hidden) {
      hidden = create('input') as HTMLInputElement;
      hidden.type = 'hidden';
    }
    hidden.name = name;
    hidden.value = json;
    if (hidden.parentNode !== form) append(form, hidden);
  };
}
