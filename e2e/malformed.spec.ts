/** What cannot be an address: whose sentence the visitor reads. */
import { expect, FORM, TEXTS, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const MULTIPLE = FORM.replace('type="email"', 'type="email" multiple');
const TEXT = FORM.replace('type="email"', '');
const OF_TEXT = { options: { inputSelector: '#email' } };
const OWN = { ...TEXTS, malformed: 'An address has an @ in it.' };

/** The browser's own sentence for this value, asked of an input that nobody watches. */
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

/** Enters it, and expects these words everywhere. */
async function expectWords(widgetPage: WidgetPage, value: string, words: string): Promise<void> {
  await widgetPage.enter(value);
  await widgetPage.expectState('rejected');
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
  test(`“${value}” on an email input has the browser’s own sentence`, async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    const sentence = await nativeSentence(widgetPage, value);
    expect(sentence).not.toBe('');
    await expectWords(widgetPage, value, sentence);
  });
}

test('one that the browser takes (a@b) has messages.invalid', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  expect(await nativeSentence(widgetPage, 'joe@localhost')).toBe('');
  await expectWords(widgetPage, 'joe@localhost', TEXTS.invalid);
});

test('one in a text input, which has no sentence, has messages.invalid', async ({ widgetPage }) => {
  await widgetPage.open(TEXT, OF_TEXT);
  await expectWords(widgetPage, 'joe', TEXTS.invalid);
});

for (const [what, value] of Object.entries({
  'the browser has a sentence for': 'joe',
  'it has none for': 'joe@localhost',
})) {
  test(`messages.malformed is said of one that ${what}`, async ({ widgetPage }) => {
    await widgetPage.open(FORM, { options: { messages: OWN } });
    await widgetPage.enter(value);
    await expect(widgetPage.status).toHaveText(OWN.malformed);
    expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ message: OWN.malformed });
  });
}

test('messages.malformed is not said of an address that the service refuses', async ({
  service,
  widgetPage,
}) => {
  service.answer('no@example.com', 'undeliverable');
  await widgetPage.open(FORM, { options: { messages: OWN } });
  await widgetPage.enter('no@example.com');
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
});

test('a field of several addresses has the browser’s sentence as it stands', async ({ widgetPage }) => {
  await widgetPage.open(MULTIPLE);
  const value = 'joe@example.com, ann';
  await expectWords(widgetPage, value, await nativeSentence(widgetPage, value, true));
});

test('a field of several addresses names the one that messages.invalid is said of', async ({
  widgetPage,
}) => {
  await widgetPage.open(MULTIPLE);
  await expectWords(widgetPage, 'joe@example.com, ann@localhost', `ann@localhost: ${TEXTS.invalid}`);
});

test('a custom validity of the page’s own stays, and is not taken for the browser’s sentence', async ({
  page,
  widgetPage,
}) => {
  await widgetPage.open(FORM);
  await page.evaluate(`email.setCustomValidity('Closed on Sundays.')`);
  await widgetPage.enter('joe');
  await widgetPage.expectState('rejected');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ message: TEXTS.invalid });
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  await widgetPage.expectCustomValidity('Closed on Sundays.');
});

test('the sentence goes with the value: the next one has its own', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  const [first, second] = [await nativeSentence(widgetPage, 'joe'), await nativeSentence(widgetPage, 'joe@')];
  expect(first).not.toBe(second);
  await expectWords(widgetPage, 'joe', first);
  await expectWords(widgetPage, 'joe@', second);
  await expectWords(widgetPage, 'joe@localhost', TEXTS.invalid);
});
