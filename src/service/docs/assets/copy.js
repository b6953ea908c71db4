/** A button at each block of code that copies it. */

/** How long the button says that it has copied, in milliseconds. */
const SAID = 2000;

export function addCopyButtons() {
  // Only pages of a secure origin may write to the clipboard.
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('.code'))
    block.append(copyButton(block.querySelector('code')));
}

function copyButton(code) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy small';
  button.textContent = 'Copy';
  let timer;
  button.addEventListener('click', async () => {
    clearTimeout(timer);
    button.textContent = await navigator.clipboard.writeText(code.textContent).then(
      () => 'Copied',
      () => 'Not allowed',
    );
    timer = setTimeout(() => {
      button.textContent = 'Copy';
    }, SAID);
  });
  return button;
}
