/** What was chosen in a form before the script of its page ran. */

/** @returns the fields with another choice than the page came with */
export const chosenIn = (form: HTMLFormElement): (HTMLInputElement | HTMLSelectElement)[] =>
  [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')].filter(isChanged);

function isChanged(field: HTMLInputElement | HTMLSelectElement): boolean {
  if (field instanceof HTMLSelectElement) {
    const sent = [...field.options].findIndex((option) => option.defaultSelected);
    // Of a list without a choice, nothing was chosen.
    return field.selectedIndex >= 0 && field.selectedIndex !== Math.max(0, sent);
  }
  return /checkbox|radio/.test(field.type)
    ? field.checked !== field.defaultChecked
    : field.value !== field.defaultValue;
}
