/**
 * Removes the finished action from the URL once the page shows it. A reload or a bookmark then does not show it again.
 */
export function forgetDone(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('done')) return;
  url.searchParams.delete('done');
  history.replaceState(history.state, '', url);
}
