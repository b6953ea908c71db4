/** Values that the visitor has not typed: the browser restores or fills them in. */
import { leaveOutFor } from './engines/differences.ts';
import { expect, FORM, JOE, NO, PATIENT, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

async function leaveAndComeBack(widgetPage: WidgetPage, address: string): Promise<void> {
  leaveOutFor('a reloaded page with restored values', widgetPage.page);
  await widgetPage.open(FORM, { options: { verifyOn: 'submit' } });
  await widgetPage.email.fill(address);
  await widgetPage.leave();
  await widgetPage.comeBack();
  await expect(widgetPage.email).toHaveValue(address);
}

test('gives a restored address no verdict, and no request before a submission', async ({ widgetPage }) => {
  await leaveAndComeBack(widgetPage, JOE);
  await widgetPage.expectState(null);
  await widgetPage.expectNoRequest();
  await widgetPage.send.click();
  expect(await widgetPage.sent()).toMatchObject({ email: JOE });
  expect(widgetPage.service.asked).toEqual([JOE]);
});

test('does not submit a restored address that is rejected', async ({ widgetPage }) => {
  await leaveAndComeBack(widgetPage, NO);
  await widgetPage.send.click();
  await widgetPage.expectState('rejected');
  await widgetPage.expectSubmissions(0, 2_000);
});

test.describe('the browser’s own autofill', () => {
  const ADDRESS_FORM = `
    <form id="form" action="/submit" method="post">
      <input id="name" name="name" autocomplete="name"> <input id="email" name="email" type="email" autocomplete="email">
      <input name="street" autocomplete="street-address"> <input name="zip" autocomplete="postal-code">
      <button id="send">Send</button>
    </form>`;

  /** Fills the form as if the visitor had chosen this entry at its first field. No field gets the focus. */
  async function autofill(widgetPage: WidgetPage, email: string): Promise<void> {
    const cdp = await widgetPage.cdp();
    const { root } = await cdp.send('DOM.getDocument');
    const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#name' });
    const { node } = await cdp.send('DOM.describeNode', { nodeId });
    const entry = {
      NAME_FULL: 'Joe Doe',
      EMAIL_ADDRESS: email,
      ADDRESS_HOME_STREET_ADDRESS: '1 Main Street',
      ADDRESS_HOME_ZIP: '12345',
      ADDRESS_HOME_COUNTRY: 'US',
    };
    const fields = Object.entries(entry).map(([name, value]) => ({ name, value }));
    await cdp.send('Autofill.trigger', { fieldId: node.backendNodeId, address: { fields } });
    await expect(widgetPage.email).toHaveValue(email);
    expect(await widgetPage.email.evaluate((input) => input.matches(':autofill'))).toBe(true);
  }

  test('is verified at once, and not changed', async ({ service, widgetPage }) => {
    await widgetPage.open(ADDRESS_FORM, { clock: 'paused' });
    await autofill(widgetPage, NO);
    expect((await service.nextRequest()).email).toBe(NO);
    await widgetPage.expectState('rejected');
    // A value that a script sets does not count as autofill any more.
    expect(await widgetPage.email.evaluate((input) => input.matches(':autofill'))).toBe(true);
    await widgetPage.send.click();
    await widgetPage.expectSubmissions(0, 2_000);
    await expect(widgetPage.email).toBeFocused();
  });

  test('is held if submitted at once, and sent once', async ({ service, widgetPage }) => {
    service.hold();
    await widgetPage.open(ADDRESS_FORM, PATIENT);
    await autofill(widgetPage, JOE);
    await widgetPage.send.click();
    await service.nextRequest();
    await widgetPage.expectSubmissions(0, 500);
    service.release();
    expect(await widgetPage.sentOnce()).toMatchObject({ email: JOE, name: 'Joe Doe' });
  });

  test('is verified again after a rejected address', async ({ service, widgetPage }) => {
    await widgetPage.open(ADDRESS_FORM);
    await widgetPage.enterRejected(NO);
    await widgetPage.email.fill('');
    await autofill(widgetPage, JOE);
    await widgetPage.expectState('accepted');
    expect(service.asked).toEqual([NO, JOE]);
  });
});
