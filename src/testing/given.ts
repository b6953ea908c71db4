/** Which parts of an answer count as given: `undefined` does not, as in the widget's options. */

/** @returns a copy without the parts that are `undefined`, so that they replace no default */
export function given<Parts extends object>(
  parts: Parts,
): { [Name in keyof Parts]: Exclude<Parts[Name], undefined> } {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Parts]: Exclude<Parts[Name], undefined> };
}
