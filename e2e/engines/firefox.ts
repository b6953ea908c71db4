/** What Playwright can't do in a Firefox that it drives over WebDriver BiDi, done otherwise. */
import type { Locator, Page } from '@playwright/test';

/**
 * There, `fill` adds to what an email field holds, since text that is put in at once does not replace what is
 * selected in a field of that type. Keys do.
 */
export function fillByKeys(page: Page): void {
  const prototype = Object.getPrototypeOf(page.locator('*')) as Locator & { fillsByKeys?: true };
  if (prototype.fillsByKeys) return;
  prototype.fillsByKeys = true;
  const { fill } = prototype;
  prototype.fill = async function (this: Locator, value, options) {
    const isEmail = await this.evaluate((element) => (element as HTMLInputElement).type === 'email');
    if (!isEmail) return fill.call(this, value, options);
    await this.press('ControlOrMeta+a');
    if (value === '') await this.press('Delete');
    else await this.page().keyboard.type(value);
  };
}
