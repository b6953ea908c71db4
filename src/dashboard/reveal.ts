/** Buttons that show what was typed into a password field: `<button type="button" data-reveal="id" hidden>`. */

export function revealOnPress(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-reveal]')) {
    const input = document.getElementById(button.dataset.reveal!) as HTMLInputElement | null;
    if (!input) continue;
    const said = button.textContent;
    const show = (isShown: boolean) => {
      input.type = isShown ? 'text' : 'password';
      button.textContent = isShown ? said.replace('Show', 'Hide') : said;
    };
    button.hidden = false;
    button.addEventListener('click', () => show(input.type === 'password'));
    // Browsers offer to store a password only from a field of type `password`.
    input.form?.addEventListener('submit', () => show(false));
  }
}
