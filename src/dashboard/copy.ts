/** Buttons that copy a text: `<button type="button" data-copy="id" hidden>`. Without scripts they stay hidden. */
import { announce } from './announce.ts';

/** How long a button shows that the text was copied. */
const SAID_MS = 2_000;

export function copyOnPress(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = !navigator.clipboard;
    const said = button.textContent;
    button.addEventListener('click', async () => {
      const text = document.getElementById(button.dataset.copy!)?.textContent ?? '';
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Not copied: select the text instead';
      }
      // A change of the name of the button that has the focus is not said.
      announce(button.textContent);
      setTimeout(() => {
        button.textContent = said;
      }, SAID_MS);
    });
  }
}
