/** Treats `undefined` as not given, as the widget's options do. */

/** @returns a copy without properties that are `undefined`, so that they replace no defaults */
export function given<Parts extends object>(
  parts: Parts,
): { [Name in keyof Parts]: Exclude<Parts[Name], undefined> } {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Parts]: Exclude<Parts[Name], undefined> };
}
