/**
 * The ids that every app of e2e/frameworks has: `email` and `send` (not its first button) in a form, `model` (the address
 * in its state), `heard` (the events of its own listeners), `tip` (renders the input again, with a description), `turn`
 * (removes the view, and adds it again).
 */

/** The submit handler of the apps. It posts to the site, so that a test can count. */
export function send(email: string, submitter: HTMLElement | null): void {
  const via = (submitter as HTMLButtonElement | null)?.value ?? '';
  void fetch('/submit', { method: 'POST', body: new URLSearchParams({ email, via }) });
}

/** One event as a line of text. */
export function told({ type, detail }: Event & { detail?: unknown }): string {
  const { accepted, status } = detail as { accepted?: boolean; status?: number };
  return `${type} ${accepted ?? status}; `;
}
