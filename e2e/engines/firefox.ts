/** Replaces what Playwright cannot do in a Firefox that it drives over WebDriver BiDi. */
import type { Locator, Page } from '@playwright/test';

/**
 * There, `fill` appends to the text of an email field: inserted text does not replace the selection in a field of that
 * type. Keys do.
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
