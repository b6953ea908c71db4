/**
 * The journeys that must work on every page. A page only names its input and its button, and posts to a path that begins
 * with `/submit`. Journeys can follow each other on the same page.
 */
import { expect, type FrameLocator, type Locator } from '@playwright/test';
import { deliverable, undeliverable } from '../../src/testing/replies.ts';
import { PATIENT } from './documents.ts';
import type { Submission } from './site.ts';
import type { WidgetPage } from './widget-page.ts';

export interface JourneyForm {
  /** @default `#email` */
  readonly input?: Locator;
  /** @default `#send` */
  readonly send?: Locator;
  /** The frame that contains them, if it is not the page itself. */
  readonly frame?: FrameLocator;
  /** The address in the page's own state, model or store. */
  readonly model?: () => Promise<unknown>;
}

/** The visitor takes the suggestion, and the page's state has it. */
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

/** A rejected address is not sent, by any button or key. The page stays. */
export async function rejectedStaysBlocked(widgetPage: WidgetPage, form: JourneyForm = {}): Promise<void> {
  const { input, send } = parts(widgetPage, form);
  const [address] = addresses('no', 'rejected.example');
  widgetPage.service.answer(address, undeliverable());
  const before = widgetPage.site.submissions.length;
  const url = widgetPage.page.url();
  await widgetPage.enterRejected(address, input);
  await send.click();
  await input.press('Enter');
  await widgetPage.expectSubmissions(before, 1_000);
  expect(widgetPage.page.url()).toBe(url);
  await widgetPage.expectState('rejected', input);
}

/**
 * The visitor presses the button several times before the verdict. The submission is held, and sent once.
 *
 * @returns the submission that arrived
 */
export async function heldGoesOnce(widgetPage: WidgetPage, form: JourneyForm = {}): Promise<Submission> {
  const { input, send } = parts(widgetPage, form);
  const { service, site } = widgetPage;
  const [address] = addresses('yes', 'held.example');
  service.answer(address, deliverable());
  service.hold(address);
  await waitLong(input);
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

/** The view disappears during a verification. The widget leaves nothing behind, and adds nothing later. */
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
  await waitLong(input);
  // Later than any code that only watches the first moments of a page.
  await widgetPage.pass(1_000);
  await widgetPage.enter(address, input);
  await expect.poll(() => service.asked).toContain(address);
  await expect(status).toHaveCount(1);
  await input.evaluate((element) => {
    const late: string[] = [];
    Object.assign(window, { late });
    // Events on a removed input reach only listeners on the input itself.
    for (const type of ['verified', 'error']) element.addEventListener(type, () => late.push(type));
  });
  await goAway();
  await expect(input).toHaveCount(0);
  await widgetPage.settle(1_000);
  // Now, and not only after the verification's timeout.
  expect(await page.locator('.email-verify-status, [data-email-verify]').count()).toBe(0);
  await expect
    .poll(() => service.requests.find(({ email }) => email === address)?.aborted, {
      message: 'the request is given up',
    })
    .toBe(true);
  service.release(address);
  await widgetPage.settle(1_000);
  expect(await page.evaluate(() => Reflect.get(window, 'late') ?? [])).toEqual([]);
  await expect(status).toHaveCount(0);
}

/**
 * Lets the widget wait for a response as long as a busy machine needs. Then it can only be the page's change that has ended
 * a request. It goes by the property that holds the page's widget, because a page with components has no global function.
 */
export async function waitLong(input: Locator, more: object = {}): Promise<void> {
  const setOptions = (element: Element, options: object) => {
    const widget = Reflect.get(element.ownerDocument.defaultView!, Symbol.for('email-verify-widget'));
    widget?.set(options);
    return Boolean(widget);
  };
  await expect.poll(() => input.evaluate(setOptions, { ...PATIENT.options, ...more })).toBe(true);
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

/** Addresses that no other journey uses, because the widget verifies each address only once. */
function addresses(user: string, ...domains: string[]): [string, string] {
  journeys += 1;
  return domains.map((domain) => `${user}${journeys}@${domain}`) as [string, string];
}
