/** What a visitor sees of a second file that is late or on time, and what the page's author hears of one that is not there. */
import { standaloneScript } from '../widget-files.ts';
import { expect, PUBLIC_KEY, TEXTS, test, UNHURRIED, undeliverable } from './fixtures.ts';

const NO = 'no@shop.example';

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
});

/** Counts the warnings of the widget. */
const COUNT_WARNINGS = `var warned = [], warn = console.warn;
  console.warn = function (text) { warned.push(text); warn.apply(console, arguments) };`;

/** The widget looks for a bubble in the task after the press. */
const NEXT_TASK = 'new Promise(function (resolve) { setTimeout(resolve) })';

for (const fate of ['missing', 'changed'] as const) {
  test(`runs nothing of a second file that is ${fate}, and says once what to do`, async ({ journey }) => {
    journey.service.face = fate;
    await journey.open({ before: COUNT_WARNINGS });
    await journey.enter(NO);
    await journey.seeCustomValidity(TEXTS.invalid);
    await journey.see('warned.length', 1);
    await journey.enterInstead('joe@shop.example');
    await journey.seeState('accepted');
    expect(await journey.visitor.read('warned')).toEqual([
      expect.stringMatching(
        /\/v2\/email-verify-widget-status\.js\?v=[\d.]+, got none or another\. Serve the files of one build\.$/,
      ),
    ]);
    expect(await journey.visitor.read('window.tampered || null')).toBeNull();
  });
}

test('shows the same from the one file that has both, and asks for no other', async ({ journey, site }) => {
  const { service, visitor } = journey;
  service.answer(NO, undeliverable({ did_you_mean: 'joe@shop.example' }));
  await journey.open({
    embed: 'none',
    head: `<script src="${site.script(standaloneScript())}" data-api-key="${PUBLIC_KEY}" data-base-url="${service.origin}"></script>`,
  });
  await visitor.type('#email', NO);
  await visitor.click('#send');
  await journey.seeState('rejected');
  await journey.seeStatus('Did you mean joe@shop.example?');
  expect(site.submissions).toEqual([]);
  await visitor.read(
    `document.querySelector('.email-verify-status').shadowRoot.querySelector('button').click()`,
  );
  await journey.seeState('accepted');
  expect(
    await visitor.read(`performance.getEntriesByType('resource').filter(function (entry) {
    return entry.name.includes('email-verify-widget-') }).length`),
  ).toBe(0);
});

test('says nothing to the author while the second file is awaited', async ({ journey, service, visitor }) => {
  service.face = 'late';
  await journey.open({ before: COUNT_WARNINGS });
  await journey.enter(NO);
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read('warned')).toEqual([]);
});

test('says a rejected submission in the bubble alone, and in the status afterwards', async ({ journey }) => {
  const { service, visitor } = journey;
  const live = `document.querySelector('.email-verify-status').getAttribute('aria-live')`;
  await journey.open();
  await journey.enter(NO);
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read(live)).toBeNull();
  await visitor.click('#send');
  await journey.see('document.activeElement.id', 'email');
  await journey.seeStatus('');
  // The bubble goes with the focus. Screen readers have heard the sentence.
  await visitor.press('Tab');
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read(live)).toBe('off');
  // There is no bubble now.
  await visitor.click('#email');
  await visitor.read(NEXT_TASK);
  await journey.seeStatus(TEXTS.invalid);
  // A new verdict is news.
  service.answer('nobody@shop.example', undeliverable());
  await journey.enterInstead('nobody@shop.example');
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read(live)).toBeNull();
});

test('says the rejection of a held submission in the bubble alone', async ({ journey, service, visitor }) => {
  await journey.sendWhilePending(NO);
  await journey.seeStatus(TEXTS.verifying);
  service.release();
  await journey.seeCustomValidity(TEXTS.invalid);
  await journey.see('document.activeElement.id', 'email');
  await journey.seeStatus('');
  await visitor.press('Tab');
  await journey.seeStatus(TEXTS.invalid);
});

for (const [why, after] of Object.entries({
  'prevents the bubble': `addEventListener('invalid', function (event) { event.preventDefault(); email.focus() }, true)`,
  'only checks the validity': `send.addEventListener('click', function (event) {
    form.checkValidity(); event.preventDefault(); email.focus() })`,
})) {
  test(`keeps the status in a page that ${why}`, async ({ journey, visitor }) => {
    await journey.open({ after });
    await journey.enter(NO);
    await journey.seeStatus(TEXTS.invalid);
    await visitor.click('#send');
    await journey.see('document.activeElement.id', 'email');
    await visitor.read(NEXT_TASK);
    await journey.seeStatus(TEXTS.invalid);
  });
}

test('shows the live region of a late face before its text', async ({ journey, service, visitor }) => {
  service.face = 'late';
  await journey.open({
    ...UNHURRIED,
    before: `var seen = [];
      new MutationObserver(function () {
        var status = document.querySelector('.email-verify-status');
        if (!status || seen.length) return;
        seen.push(status.shadowRoot.textContent);
        new MutationObserver(function () { seen.push(status.shadowRoot.textContent) })
          .observe(status.shadowRoot, { childList: true });
      }).observe(document, { childList: true, subtree: true });`,
  });
  await journey.enter(NO);
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read('seen')).toEqual(['', TEXTS.invalid]);
});
