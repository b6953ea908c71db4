/** The titles of pages. Tabs and the history tell pages apart by them: by what they show, and by the part of it. */

/** `Batches: paused, older`. @param parts the filters and the page, if they differ from the usual ones */
export function titleOf(page: string, parts: readonly (string | undefined | false)[]): string {
  const given = parts.filter((part) => part !== undefined && part !== false && part !== '');
  return given.length > 0 ? `${page}: ${given.join(', ')}` : page;
}
