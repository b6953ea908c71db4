/** Typing hours selects “another time”. Selecting any other choice empties the hours. */

export function chooseTypedHours(): void {
  const form = document.querySelector<HTMLFormElement>('form#retention-form');
  const hours = form?.querySelector<HTMLInputElement>('input[name=hours]');
  const other = form?.querySelector<HTMLInputElement>('input[name=keep][value=other]');
  if (!form || !hours || !other) return;
  hours.addEventListener('input', () => {
    if (hours.value.trim() !== '') other.checked = true;
  });
  form.addEventListener('change', ({ target }) => {
    if ((target as HTMLInputElement).name === 'keep' && target !== other) hours.value = '';
  });
}
