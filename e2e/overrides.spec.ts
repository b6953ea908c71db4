/** A page that changes `data-email-verify-…` on an input or a form after the verdict, as frameworks do. */
import { deliverable, expect, FORM, test } from './fixtures.ts';

const FREE = 'joe@free.example';

test.beforeEach(({ service }) => {
  service.answer(FREE, deliverable({ free: true }));
});

for (const where of ['email', 'form']) {
  const forbid = `${where}.setAttribute('data-email-verify-allow', '{"free": false}')`;

  test.describe(`a changed data-email-verify-allow on the ${where === 'email' ? 'input' : 'form'}`, () => {
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
  });
}
