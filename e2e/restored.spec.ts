/** Pages that are loaded again, and into which the browser puts what the visitor had typed, without an event. */
import { expect, FORM, test, undeliverable } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const JOE = 'joe@example.com';
const NO = 'no@example.com';

async function leaveAndComeBack(widgetPage: WidgetPage, address: string): Promise<void> {
  await widgetPage.open(FORM, { options: { verifyOn: 'submit' } });
  await widgetPage.email.fill(address);
  await widgetPage.leave();
  await widgetPage.comeBack();
  await expect(widgetPage.email).toHaveValue(address);
}

test('a kept address has no verdict, and nothing is asked before it is sent', async ({
  service,
  site,
  widgetPage,
}) => {
  await leaveAndComeBack(widgetPage, JOE);
  await widgetPage.expectState(null);
  await widgetPage.expectNoRequest();
  await widgetPage.send.click();
  expect((await site.submission()).fields).toMatchObject({ email: JOE });
  expect(service.asked).toEqual([JOE]);
});

test('a kept address that is rejected is not sent', async ({ service, widgetPage }) => {
  service.answer(NO, undeliverable());
  await leaveAndComeBack(widgetPage, NO);
  await widgetPage.send.click();
  await widgetPage.expectState('rejected');
  await widgetPage.expectSubmissions(0, 2_000);
});
