/** Gives each frame its content's height: the page scrolls, not they. */

const heights = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const { frameElement } = target.ownerDocument.defaultView ?? {};
    if (!frameElement) continue;
    const borders = frameElement.offsetHeight - frameElement.clientHeight;
    frameElement.style.blockSize = `${Math.ceil(target.getBoundingClientRect().height) + borders}px`;
  }
});

for (const frame of document.querySelectorAll('iframe')) {
  const follow = () => heights.observe(frame.contentDocument.documentElement);
  frame.addEventListener('load', follow);
  if (frame.contentDocument?.readyState === 'complete') follow();
}
