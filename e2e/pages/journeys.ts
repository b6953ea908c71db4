/**
 * What every page owes its visitors, whatever it is made with: a page only says where its input and its button
 * are, and posts to a path that begins with `/submit`. Each journey may follow another on the same page.
 */
import { expect, type FrameLocator, type Locator } from '@playwright/test';
import { deliverable, undeliverable } from '../../src/testing/replies.ts';
import type { Submission } from './site.ts';
import type { WidgetPage } from './widget-page.ts';

export interface JourneyForm {
  /** @default `#email` */
  readonly input?: Locator;
  /** @default `#send` */
  readonly send?: Locator;
  /** The frame that they are in, if not the page itself. */
  readonly frame?: FrameLocator;
  /** The address as the page itself knows it: its library's state, model or store. */
  readonly model?: () => Promise<unknown>;
}

/** The visitor takes the suggestion, and the page knows of it. */
export async function suggestionIsTaken(widgetPage: WidgetPage, form: JourneyForm = {}): Promise<void> {
  const { input, model, status } = parts(widgetPage, form);
  const [typed, meant] = addresses('joe', 'gmial.example', 'gmail.example');
  widgetPage.service.answer(typed, undeliverable({ did_you_mean: meant }));
  widgetPage.service.answer(meant, deliverable());
  const before = widgetPage.site.submissions.length;
  await widgetPage.enter(typed, input);
  await status.getByRole('button', { name: meant }).click();
  await widgetPage.expectState('accepted', input);
  await expect(input).toHaveValue(meant);
  if (model) await expect.poll(model, 'the address that the page itself holds').toBe(meant);
  // A suggestion is an edit, and sends nothing.
  await widgetPage.expectSubmissions(before, 500);
}

/** A rejected address is sent by no button and no key, in no way at all; the page stays where it is. */
export async function rejectedStaysBlocked(widgetPage: WidgetPage, form: JourneyForm = {}): Promise<void> {
  const { input, send } = parts(widgetPage, form);
  const [address] = addresses('no', 'rejected.example');
  widgetPage.service.answer(address, undeliverable());
  const before = widgetPage.site.submissions.length;
  const url = widgetPage.page.url();
  await widgetPage.enter(address, input);
  await widgetPage.expectState('rejected', input);
  await send.click();
  await input.press('Enter');
  await widgetPage.expectSubmissions(before, 1_000);
  expect(widgetPage.page.url()).toBe(url);
  await widgetPage.expectState('rejected', input);
}

/**
 * The visitor presses, impatiently, while the verdict is pending: that is held, and goes once.
 *
 * @returns what arrived
 */
export async function heldGoesOnce(widgetPage: WidgetPage, form: JourneyForm = {}): Promise<Submission> {
  const { input, send } = parts(widgetPage, form);
  const { service, site } = widgetPage;
  const [address] = addresses('yes', 'held.example');
  service.answer(address, deliverable());
  service.hold(address);
  const before = site.submissions.length;
  await input.fill(address);
  await send.click();
  await expect.poll(() => service.asked).toContain(address);
  await send.click();
  await widgetPage.expectSubmissions(before, 500);
  service.release(address);
  const submission = await site.submission(before + 1);
  expect(Object.values(submission.fields)).toContain(address);
  await widgetPage.arrive();
  await widgetPage.expectSubmissions(before + 1, 1_000);
  return submission;
}

/** The view goes away in the middle of a verification: nothing of the widget's stays, nor comes later. */
export async function leavesNothingBehind(
  widgetPage: WidgetPage,
  goAway: () => Promise<unknown>,
  form: JourneyForm = {},
): Promise<void> {
  const { input, status } = parts(widgetPage, form);
  const { page, service } = widgetPage;
  const [address] = addresses('late', 'gone.example');
  service.answer(address, undeliverable());
  service.hold(address);
  // Whatever looks after the page only for its first moments is past.
  await widgetPage.pass(1_000);
  await widgetPage.enter(address, input);
  await expect.poll(() => service.asked).toContain(address);
  await expect(status).toHaveCount(1);
  await input.evaluate((element) => {
    const late: string[] = [];
    Object.assign(window, { late });
    // What is fired on an input that is gone reaches nobody but those who still hold it.
    for (const type of ['verified', 'error']) element.addEventListener(type, () => late.push(type));
  });
  await goAway();
  await expect(input).toHaveCount(0);
  await widgetPage.settle(1_000);
  // Now, and not only when the verification has taken all its time.
  expect(await page.locator('.email-verify-status, [data-email-verify]').count()).toBe(0);
  await expect
    .poll(() => service.requests.find(({ email }) => email === address)?.aborted, {
      message: 'the request is given up',
      timeout: 1_000,
    })
    .toBe(true);
  service.release(address);
  await widgetPage.settle(1_000);
  expect(await page.evaluate(() => Reflect.get(window, 'late') ?? [])).toEqual([]);
  await expect(status).toHaveCount(0);
}

function parts(widgetPage: WidgetPage, form: JourneyForm) {
  const place = form.frame ?? widgetPage.page;
  return {
    input: place.locator('#email'),
    send: place.locator('#send'),
    status: place.locator('.email-verify-status'),
    ...form,
  };
}

let journeys = 0;

/** Addresses that no other journey has used: the widget asks for none twice. */
function addresses(user: string, ...domains: string[]): [string, string] {
  journeys += 1;
  return domains.map((domain) => `${user}${journeys}@${domain}`) as [string, string];
}
