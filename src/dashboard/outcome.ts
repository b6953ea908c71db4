/**
 * Moves the focus to what the page says about the action that led to it. Browsers do so by `autofocus`, but not if the URL
 * has a fragment. A fault that belongs to no field has none, because a wrong field comes first.
 */
export function focusOutcome(): void {
  // The browser has done it, or the person is already somewhere else.
  if (document.activeElement && document.activeElement !== document.body) return;
  const target =
    document.querySelector<HTMLElement>('main [autofocus]') ??
    document.querySelector<HTMLElement>('main .problem[tabindex]');
  target?.focus();
}
