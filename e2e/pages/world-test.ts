/** Tests with a world of their own: a database and several commands, which all tests of a worker share. */
import { test as base, type Page } from '@playwright/test';
import { watchErrors } from './own-pages.ts';
import { started } from './started.ts';

/**
 * Returns a `test` with a `world`. It fails if its page throws an exception, or does what its policy forbids.
 *
 * @param start starts the world. Its commands start one after the other.
 */
export const testIn = <World extends { stop(): Promise<void> }>(start: () => Promise<World>) =>
  base.extend<{ world: World }, { runningWorld: World }>({
    runningWorld: [started(start), { scope: 'worker', timeout: 300_000 }],
    world: async ({ page, runningWorld }, use) => {
      const expectNoErrors = watchErrors(page);
      await use(runningWorld);
      expectNoErrors();
    },
  });

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
