/** Pages that have replaced functions which the status needs. Everything but the status still works. */
import { expect, FORM, JOE, NO, PATIENT, test, undeliverable } from './fixtures.ts';

const THROW = 'function () { throw new Error("the page says no") }';
const REPLACED: Record<string, string> = {
  'a global Text of its own': `window.Text = ${THROW};`,
  'an attachShadow that throws': `Element.prototype.attachShadow = ${THROW};`,
  'an attachShadow that gives nothing': 'Element.prototype.attachShadow = function () {};',
  'a CSSStyleSheet that throws': `window.CSSStyleSheet = ${THROW};`,
  'a replaceSync that throws': `CSSStyleSheet.prototype.replaceSync = ${THROW};`,
  'a textContent that throws': `Object.defineProperty(Node.prototype, 'textContent', { set: ${THROW} });`,
  'a requestAnimationFrame that throws': `window.requestAnimationFrame = ${THROW};`,
};

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable({ did_you_mean: JOE }));
});

for (const [what, replace] of Object.entries(REPLACED)) {
  for (const when of ['before', 'after'] as const) {
    test(`works except for the status with ${what}, set ${when} the script`, async ({ page, widgetPage }) => {
      const { service, site } = widgetPage;
      // The real clock, because no test sees an exception in a timer of the other clock.
      await widgetPage.open(FORM, {
        clock: 'real',
        ...PATIENT,
        ...(when === 'before' ? { before: replace } : {}),
      });
      await page.waitForFunction('emailVerify.version');
      if (when === 'after') await page.evaluate(replace);

      await widgetPage.enter(NO);
      expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: false });
      await widgetPage.expectState('rejected');
      expect((await widgetPage.validity()).customError).toBe(true);

      await widgetPage.email.fill('');
      await widgetPage.expectState(null);
      await page.evaluate(`email.value = '${NO}'`);
      expect(await page.evaluate(`emailVerify('verify', email)`)).toMatchObject({ accepted: false });

      service.hold();
      await widgetPage.email.fill(JOE);
      await widgetPage.send.click();
      await service.nextRequest();
      await service.nextRequest();
      await widgetPage.settle(0);
      expect(site.submissions).toEqual([]);
      service.release();
      expect(await widgetPage.sent()).toMatchObject({ email: JOE, via: 'button' });

      await page.evaluate(`emailVerify('destroy')`);
      await widgetPage.expectState(null);
    });
  }
}
