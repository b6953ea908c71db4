/** Returns what an action returns, or `undefined` if it throws. */
export function unlessItThrows<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
