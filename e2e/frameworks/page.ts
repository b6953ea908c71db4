/**
 * What every app of e2e/frameworks shows of itself, by these ids: `email` and `send` (not its first button) in a form, `model` (the
 * address that its state holds), `heard` (what its own listeners were told), `tip` (renders the input anew, with a
 * description), `turn` (takes the view away, and brings it back).
 */

/** What the submit handlers do: tell the site, so that a test can count. */
export function send(email: string, submitter: HTMLElement | null): void {
  const via = (submitter as HTMLButtonElement | null)?.value ?? '';
  void fetch('/submit', { method: 'POST', body: new URLSearchParams({ email, via }) });
}

/** One line of what was heard. */
export function told({ type, detail }: Event & { detail?: unknown }): string {
  const { accepted, status } = detail as { accepted?: boolean; status?: number };
  return `${type} ${accepted ?? status}; `;
}
