/** The message for a text that cannot be an address: the browser's own or `messages.invalid`. */
import { expect, FORM, TEXTS, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const MULTIPLE = FORM.replace('type="email"', 'type="email" multiple');
const TEXT = FORM.replace('type="email"', '');
const OF_TEXT = { options: { inputSelector: '#email' } };

/** The browser's own message for this value, from an input that is not monitored. */
const nativeSentence = ({ page }: WidgetPage, value: string, multiple = false) =>
  page.evaluate(
    ([text, several]) => {
      const input = Object.assign(document.createElement('input'), {
        type: 'email',
        multiple: several,
        value: text,
      });
      return input.validationMessage;
    },
    [value, multiple] as const,
  );

/** Enters the value, and expects this text in every place. */
async function expectWords(widgetPage: WidgetPage, value: string, words: string): Promise<void> {
  await widgetPage.enterRejected(value);
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({
    accepted: false,
    message: words,
    verificationData: { status: 0 },
  });
  await expect(widgetPage.status).toHaveText(words);
  expect((await widgetPage.validity()).message).toBe(words);
  expect(widgetPage.service.asked).toEqual([]);
}

for (const value of ['joe', 'joe@', '@example.com', 'joe@ex ample.com', 'joe..@-example.com']) {
  test(`shows the browser’s own message for “${value}” in an email input`, async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    const sentence = await nativeSentence(widgetPage, value);
    expect(sentence).not.toBe('');
    await expectWords(widgetPage, value, sentence);
  });
}

test('shows messages.invalid for a value that the browser accepts (a@b)', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  expect(await nativeSentence(widgetPage, 'joe@localhost')).toBe('');
  await expectWords(widgetPage, 'joe@localhost', TEXTS.invalid);
});

test('shows messages.invalid in a text input, for which browsers have no message', async ({ widgetPage }) => {
  await widgetPage.open(TEXT, OF_TEXT);
  await expectWords(widgetPage, 'joe', TEXTS.invalid);
});

test('shows the browser’s message unchanged for a field of several addresses', async ({ widgetPage }) => {
  await widgetPage.open(MULTIPLE);
  const value = 'joe@example.com, ann';
  await expectWords(widgetPage, value, await nativeSentence(widgetPage, value, true));
});

test('names the address of messages.invalid in a field of several addresses', async ({ widgetPage }) => {
  await widgetPage.open(MULTIPLE);
  await expectWords(widgetPage, 'joe@example.com, ann@localhost', `ann@localhost: ${TEXTS.invalid}`);
});

test('keeps the page’s custom validity, and does not take it for the browser’s', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.page.evaluate(`email.setCustomValidity('Closed on Sundays.')`);
  await widgetPage.enterRejected('joe');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ message: TEXTS.invalid });
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  await widgetPage.expectCustomValidity('Closed on Sundays.');
});

test('shows the browser’s message for each new value', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  const [first, second] = [await nativeSentence(widgetPage, 'joe'), await nativeSentence(widgetPage, 'joe@')];
  expect(first).not.toBe(second);
  await expectWords(widgetPage, 'joe', first);
  await expectWords(widgetPage, 'joe@', second);
  await expectWords(widgetPage, 'joe@localhost', TEXTS.invalid);
});
