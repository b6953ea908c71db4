/** The journeys of a visitor whose browser gets the widget's second file late, never, or changed, in every engine. */
import type { FileFate } from '../mock-service/mock-service.ts';
import { drop, expect, TEXTS, test, undeliverable } from './fixtures.ts';

const JOE = 'joe@shop.example';
const NO = 'no@shop.example';
const TYPO = 'joe@shpo.example';

const FATES: readonly FileFate[] = ['late', 'missing', 'changed'];
/** Counts the warnings of the widget. */
const COUNT_WARNINGS = `var warned = [], warn = console.warn;
  console.warn = function (text) { warned.push(text); warn.apply(console, arguments) };`;

/** The widget looks for a bubble in the task after the press. */
const NEXT_TASK = 'new Promise(function (resolve) { setTimeout(resolve) })';

for (const fate of FATES) {
  test.describe(`with a face that is ${fate}`, () => {
    test.beforeEach(({ service }) => {
      service.face = fate;
      service.answer(NO, undeliverable());
      service.answer(TYPO, undeliverable({ did_you_mean: JOE }));
    });

    test('refuses an address with the reason, and submits a better one', async ({
      journey,
      site,
      visitor,
    }) => {
      await journey.open({ before: COUNT_WARNINGS });
      await visitor.type('#email', NO);
      await visitor.press('Tab');
      await journey.seeState('rejected');
      await journey.seeCustomValidity(TEXTS.invalid);
      await visitor.click('#send');
      await journey.see('document.activeElement.id', 'email');
      if (fate === 'late') await journey.seeStatus(TEXTS.invalid);
      else await journey.see('warned.length', 1);
      expect(await visitor.read('window.tampered || null')).toBeNull();
      expect(await journey.heard()).toEqual(['verifying', 'verified']);
      await visitor.empty('#email');
      await visitor.type('#email', JOE);
      await visitor.press('Tab');
      await journey.seeState('accepted');
      // It says what has happened once, and names the file.
      const warned = (await visitor.read('warned')) as string[];
      if (fate === 'late') expect(warned).toEqual([]);
      else expect(warned).toEqual([expect.stringContaining('/v2/email-verify-widget-status.js?v=')]);
      await visitor.click('#send');
      expect((await site.submission()).fields).toEqual({ email: JOE, note: '', via: 'button' });
    });

    for (const way of ['the button', 'Enter'] as const) {
      test(`holds a form that is sent by ${way} until the verdict`, async ({
        journey,
        service,
        site,
        visitor,
      }) => {
        service.hold();
        await journey.open();
        await visitor.type('#email', JOE);
        if (way === 'Enter') await visitor.press('Enter');
        else await visitor.click('#send');
        await service.nextRequest();
        expect(site.submissions).toEqual([]);
        service.release();
        expect((await site.submission()).fields).toEqual({ email: JOE, note: '', via: 'button' });
        expect(site.submissions).toHaveLength(1);
      });
    }

    test('drops a held submission at a rejection', async ({ journey, service, site, visitor }) => {
      service.hold();
      await journey.open();
      await visitor.type('#email', NO);
      await visitor.click('#send');
      await service.nextRequest();
      service.release();
      await journey.seeCustomValidity(TEXTS.invalid);
      await journey.see('document.activeElement.id', 'email');
      await visitor.empty('#email');
      await visitor.type('#email', JOE);
      await visitor.click('#send');
      expect((await site.submission()).fields).toMatchObject({ email: JOE });
      expect(site.submissions).toHaveLength(1);
    });

    test('says the suggestion in the validity, and offers it once the face is there', async ({
      journey,
      visitor,
    }) => {
      await journey.open();
      await visitor.type('#email', TYPO);
      await visitor.press('Tab');
      await journey.seeCustomValidity(`Did you mean ${JOE}?`);
      if (fate !== 'late') return;
      await journey.seeStatus(`Did you mean ${JOE}?`);
      await visitor.read(
        `document.querySelector('.email-verify-status').shadowRoot.querySelector('button').click()`,
      );
      await journey.see('email.value', JOE);
      await journey.seeState('accepted');
    });

    test('lets the visitor go on while the service is down', async ({ journey, service, site, visitor }) => {
      service.answer('*', drop());
      await journey.open();
      await visitor.type('#email', JOE);
      await visitor.click('#send');
      expect((await site.submission()).fields).toMatchObject({ email: JOE });
      expect(await journey.heard()).toEqual(['verifying', 'error']);
    });
  });
}

test('says a rejected submission in the bubble alone, and in the status afterwards', async ({
  journey,
  service,
  visitor,
}) => {
  const live = `document.querySelector('.email-verify-status').getAttribute('aria-live')`;
  service.answer(NO, undeliverable());
  await journey.open();
  await visitor.type('#email', NO);
  await visitor.press('Tab');
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
  await visitor.empty('#email');
  await visitor.type('#email', 'nobody@shop.example');
  await visitor.press('Tab');
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read(live)).toBeNull();
});

test('says the rejection of a held submission in the bubble alone', async ({ journey, service, visitor }) => {
  service.answer(NO, undeliverable());
  service.hold();
  await journey.open();
  await visitor.type('#email', NO);
  await visitor.click('#send');
  await service.nextRequest();
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
  test(`keeps the status in a page that ${why}`, async ({ journey, service, visitor }) => {
    service.answer(NO, undeliverable());
    await journey.open({ after });
    await visitor.type('#email', NO);
    await visitor.press('Tab');
    await journey.seeStatus(TEXTS.invalid);
    await visitor.click('#send');
    await journey.see('document.activeElement.id', 'email');
    await visitor.read(NEXT_TASK);
    await journey.seeStatus(TEXTS.invalid);
  });
}

test('shows the live region of a late face before its text', async ({ journey, service, visitor }) => {
  service.face = 'late';
  service.answer(NO, undeliverable());
  await journey.open({
    before: `var seen = [];
      new MutationObserver(function () {
        var status = document.querySelector('.email-verify-status');
        if (!status || seen.length) return;
        seen.push(status.shadowRoot.textContent);
        new MutationObserver(function () { seen.push(status.shadowRoot.textContent) })
          .observe(status.shadowRoot, { childList: true });
      }).observe(document, { childList: true, subtree: true });`,
  });
  await visitor.type('#email', NO);
  await visitor.press('Tab');
  await journey.seeStatus(TEXTS.invalid);
  expect(await visitor.read('seen')).toEqual(['', TEXTS.invalid]);
});
