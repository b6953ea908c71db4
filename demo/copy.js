/** Buttons that copy: `data-copies` is the id of what they copy, `data-copied` that of the status that says so. */

for (const button of document.querySelectorAll('[data-copies]')) {
  button.addEventListener('click', async () => {
    const code = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(code.textContent);
      announce(button, 'Copied.');
    } catch {
      // No permission: selected, it is one key away.
      getSelection().selectAllChildren(code);
      announce(button, 'Selected. Copy it with the keyboard.');
    }
  });
}

function announce(button, text) {
  const note = document.getElementById(button.dataset.copied);
  note.textContent = '';
  // The same text again would not be announced again.
  requestAnimationFrame(() => {
    note.textContent = text;
  });
}
