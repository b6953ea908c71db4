/** A page that changes `data-email-verify-…` on an input or a form after the verdict, as frameworks do. */
import { deliverable, expect, FORM, NO, TEXTS, test } from './fixtures.ts';

const FREE = 'joe@free.example';

test.beforeEach(({ service }) => {
  service.answer(FREE, deliverable({ free: true }));
});

for (const where of ['email', 'form']) {
  const forbid = `${where}.setAttribute('data-email-verify-allow', '{"free": false}')`;

  test.describe(`a changed data-email-verify-allow on the ${where === 'email' ? 'input' : 'form'}`, () => {
    test('stops a now forbidden address within 250 ms, with its event', async ({ service, widgetPage }) => {
      await widgetPage.open(FORM);
      await widgetPage.enter(FREE);
      expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: true });
      await widgetPage.page.evaluate(forbid);
      await widgetPage.pass(250);
      expect(await widgetPage.validity()).toMatchObject({ customError: true, message: TEXTS.free });
      await widgetPage.expectState('rejected');
      await expect(widgetPage.status).toHaveText(TEXTS.free);
      expect((await widgetPage.events('verified')).map(({ detail }) => detail)).toEqual([
        expect.objectContaining({ accepted: true }),
        expect.objectContaining({ accepted: false, message: TEXTS.free }),
      ]);
      expect(service.asked).toEqual([FREE]);
    });

    for (const [attempt, act] of Object.entries({
      press: 'send.click()',
      'requestSubmit()': 'form.requestSubmit()',
    })) {
      test(`stops a now forbidden address at a ${attempt} in the same task`, async ({ page, widgetPage }) => {
        await widgetPage.open(FORM);
        await widgetPage.enterAccepted(FREE);
        await page.evaluate(`${forbid}; ${act}`);
        await widgetPage.expectSubmissions(0, 1_000);
        await widgetPage.expectState('rejected');
      });
    }

    test('lets a now allowed address through at a press in the same task', async ({ page, widgetPage }) => {
      await widgetPage.open(FORM);
      await page.evaluate(forbid);
      await widgetPage.enterRejected(FREE);
      await page.evaluate(`${where}.removeAttribute('data-email-verify-allow'); send.click()`);
      expect(await widgetPage.sent()).toMatchObject({ email: FREE });
      expect((await widgetPage.events('verified')).at(-1)?.detail).toMatchObject({ accepted: true });
    });

    test('fires no event if the verdict stays the same', async ({ page, widgetPage }) => {
      await widgetPage.open(FORM);
      await widgetPage.enterAccepted(FREE);
      await page.evaluate(`${where}.setAttribute('data-email-verify-allow', '{"role": false}')`);
      await widgetPage.settle(1_000);
      expect(await widgetPage.events('verified')).toHaveLength(1);
    });
  });

  test(`shows changed data-email-verify-messages of the ${where} within 250 ms`, async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    await widgetPage.page.evaluate(
      `${where}.setAttribute('data-email-verify-messages', '{"invalid": "Unknown there."}')`,
    );
    await widgetPage.pass(250);
    await expect(widgetPage.status).toHaveText('Unknown there.');
    await widgetPage.expectCustomValidity('Unknown there.');
  });
}
