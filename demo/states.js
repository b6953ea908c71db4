/** The page around the specimens: gives each frame its content's height, and shows the restyled ones' sheet. */

const heights = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const { frameElement } = target.ownerDocument.defaultView ?? {};
    if (frameElement) frameElement.style.blockSize = `${Math.ceil(target.getBoundingClientRect().height)}px`;
  }
});

for (const frame of document.querySelectorAll('iframe')) {
  const follow = () => heights.observe(frame.contentDocument.documentElement);
  frame.addEventListener('load', follow);
  if (frame.contentDocument?.readyState === 'complete') follow();
}

const sheet = await fetch('restyled.css');
document.querySelector('#restyled-css').textContent = (await sheet.text()).trim();
