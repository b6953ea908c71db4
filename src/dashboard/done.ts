/** Takes what was done out of the address once the page says it, so that a reload or a bookmark does not say it again. */
export function forgetDone(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('done')) return;
  url.searchParams.delete('done');
  history.replaceState(history.state, '', url);
}
