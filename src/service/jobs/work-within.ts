/** Work in small steps, each of which a process may end after. */

/** Does a little. @returns whether there may be more to do */
export type Step = () => Promise<boolean>;

/** Repeats a step until there is no more to do, or until its time is over. */
export async function workWithin(longestMs: number, step: Step): Promise<void> {
  const end = performance.now() + longestMs;
  while ((await step()) && performance.now() < end);
}
