/** A fixture that is started before the tests that use it, and stopped after them. */
export const started =
  <Value extends { stop(): Promise<void> }>(start: () => Promise<Value>) =>
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  async ({}, use: (value: Value) => Promise<void>) => {
    const value = await start();
    await use(value);
    await value.stop();
  };
