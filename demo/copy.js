/**
 * Buttons that copy: `data-copies` is the id of what they copy, `data-copied` that of the status that says so. Without
 * scripts they do nothing, so a page may bring them hidden.
 */

const buttons = document.querySelectorAll('[data-copies]');

for (const button of buttons) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(code.textContent);
      announce(button, 'Copied.');
    } catch {
      getSelection().selectAllChildren(code);
      // A page over plain HTTP from another device has no clipboard, only the older way.
      const isCopied = !navigator.clipboard && document.execCommand('copy');
      announce(button, isCopied ? 'Copied.' : 'Selected. Copy it with the keyboard.');
    }
  });
}

function announce(button, text) {
  const note = document.getElementById(button.dataset.copied);
  // The clipboard holds one thing: what was copied before is there no longer.
  for (const { dataset } of buttons) document.getElementById(dataset.copied).textContent = '';
  // The same text again would not be announced again.
  requestAnimationFrame(() => {
    note.textContent = text;
  });
}
