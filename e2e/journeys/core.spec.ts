/** Everything that every visitor must be able to do, in every engine, with the real clock and real keys and clicks. */
import type { FileFate } from '../mock-service/mock-service.ts';
import {
  deliverable,
  drop,
  expect,
  FORM,
  PATIENT,
  rateLimited,
  status,
  TEXTS,
  test,
  tryAgain,
  UNHURRIED,
  undeliverable,
} from './fixtures.ts';
import type { Visitor } from './visitor.ts';

const JOE = 'joe@shop.example';
const NO = 'no@shop.example';
const TYPO = 'joe@shpo.example';

/** What becomes of the widget's second file. */
const FATES: readonly FileFate[] = ['on time', 'late', 'missing', 'changed'];

for (const fate of FATES) {
  test.describe(fate === 'on time' ? 'with both files' : `with a second file that is ${fate}`, () => {
    test.beforeEach(({ service }) => {
      service.face = fate;
      service.answer(NO, undeliverable());
      service.answer(TYPO, undeliverable({ did_you_mean: JOE }));
    });

    test('refuses an undeliverable address with a reason, and submits a better one', async ({ journey }) => {
      await journey.open();
      await journey.enter(NO);
      await journey.seeStatus(TEXTS.invalid);
      await journey.seeCustomValidity(TEXTS.invalid);
      await journey.visitor.click('#send');
      await journey.see('document.activeElement.id', 'email');
      await journey.enterInstead(JOE);
      await journey.seeState('accepted');
      await journey.seeStatus('');
      await journey.visitor.click('#send');
      expect(await journey.sent()).toEqual({ email: JOE, note: '', via: 'button' });
    });

    test('verifies an address once the visitor stops typing', async ({ journey, visitor }) => {
      await journey.open({ options: { verifyAfterDelay: 300 } });
      await visitor.type('#email', JOE);
      // On a busy machine a pause between two keys may be as long, so that a part of the address was judged, too.
      const asked = () => journey.service.asked.filter((email) => email === JOE);
      await expect.poll(asked).toHaveLength(1);
      await journey.seeState('accepted');
      expect(asked()).toHaveLength(1);
      expect((await journey.heard()).slice(-2)).toEqual(['verifying', 'verified']);
    });

    const sendBy = {
      'the button': (visitor: Visitor) => visitor.click('#send'),
      Enter: (visitor: Visitor) => visitor.press('Enter'),
    };

    for (const way of ['the button', 'Enter'] as const) {
      test(`holds a form sent by ${way} until the verdict, and submits it once`, async ({ journey }) => {
        const { service, site, visitor } = journey;
        await journey.sendWhilePending(JOE, {}, () => sendBy[way](visitor));
        await journey.seeStatus(TEXTS.verifying);
        expect(site.submissions).toEqual([]);
        service.release();
        expect(await journey.sent()).toEqual({ email: JOE, note: '', via: 'button' });
        await journey.seeState('accepted');
        expect(site.submissions).toHaveLength(1);
      });

      test(`submits no form that is sent by ${way} before a rejection, and shows it`, async ({ journey }) => {
        const { service, visitor } = journey;
        await journey.sendWhilePending(NO, {}, () => sendBy[way](visitor));
        service.release();
        await journey.seeCustomValidity(TEXTS.invalid);
        await journey.see('document.activeElement.id', 'email');
        // The bubble says it, and after it the status.
        await visitor.press('Tab');
        await journey.seeStatus(TEXTS.invalid);
        // The later submission must be the only one. A wrong one would have arrived before it.
        await visitor.empty('#email');
        await visitor.type('#email', JOE);
        await visitor.click('#send');
        expect(await journey.sent()).toMatchObject({ email: JOE });
      });
    }

    test('holds a submission by script like a press, and carries it out once', async ({ journey }) => {
      await journey.sendWhilePending(JOE, {}, () => journey.visitor.read('form.requestSubmit()'));
      journey.service.release();
      expect(await journey.sent()).toEqual({ email: JOE, note: '' });
    });

    test('returns false to checkValidity() while a verdict is pending, and submits nothing', async ({
      journey,
    }) => {
      const { service, site, visitor } = journey;
      service.hold();
      await journey.open({
        ...PATIENT,
        body: FORM.replace('id="send"', 'id="send" type="button"'),
        after: `document.querySelector('#send').onclick = function () { window.says = form.checkValidity() }`,
      });
      await visitor.type('#email', JOE);
      await visitor.click('#send');
      expect(await visitor.read('says')).toBe(false);
      await service.nextRequest();
      service.release();
      await journey.seeState('accepted');
      await visitor.click('#send');
      expect(await visitor.read('says')).toBe(true);
      expect(site.submissions).toEqual([]);
    });

    test('lets the visitor go on while the service is down, and fires an event', async ({ journey }) => {
      journey.service.answer('*', drop());
      await journey.open(UNHURRIED);
      await journey.visitor.type('#email', JOE);
      await journey.visitor.click('#send');
      expect(await journey.sent()).toMatchObject({ email: JOE });
      expect(await journey.heard()).toEqual(['verifying', 'error']);
    });

    test('follows no redirect of the service', async ({ journey, service, site, visitor }) => {
      service.answer('*', { ...status(302), headers: { location: `${site.origin()}/elsewhere` } });
      await journey.open(UNHURRIED);
      await journey.enter(JOE);
      await journey.seeState('error');
      expect(await visitor.read('heard[1].detail.status')).toBe(0);
    });

    test('repeats a request after a 249', async ({ journey, service }) => {
      service.answer(JOE, tryAgain(), deliverable());
      await journey.open(UNHURRIED);
      await journey.enter(JOE);
      await journey.seeState('accepted');
      expect(service.asked).toEqual([JOE, JOE]);
    });

    test('stops a visitor over the rate limit, with the reason, if the page says so', async ({ journey }) => {
      const { service, visitor } = journey;
      service.answer(JOE, rateLimited(), rateLimited(), deliverable());
      await journey.open({ options: { ...UNHURRIED.options, blockOnRateLimit: true } });
      await journey.enter(JOE);
      // Where the second file is missing, no status tells that the answer has come.
      await expect.poll(() => journey.heard()).toContain('error');
      await journey.seeStatus(TEXTS.rateLimited);
      await visitor.click('#send');
      await service.nextRequest();
      await service.nextRequest();
      await journey.seeCustomValidity(TEXTS.rateLimited);
      await visitor.click('#send');
      await journey.sent();
      expect(service.asked).toEqual([JOE, JOE, JOE]);
    });

    test('guards a form with novalidate, and restores the attribute', async ({ journey, site, visitor }) => {
      await journey.open({ body: FORM.replace('<form', '<form novalidate'), embed: 'module' });
      const before = await visitor.read('email.outerHTML');
      await visitor.type('#email', NO);
      await visitor.click('#send');
      await journey.seeCustomValidity(TEXTS.invalid);
      expect(site.submissions).toEqual([]);
      await visitor.read('widget.destroy()');
      expect(await visitor.read('form.noValidate')).toBe(true);
      expect(await visitor.read('email.outerHTML')).toBe(before);
      expect(await visitor.read('document.querySelectorAll(".email-verify-status").length')).toBe(0);
      await visitor.click('#send');
      await journey.sent();
    });

    test('sends an address of an international domain as the browser returns it', async ({ journey }) => {
      await journey.open(UNHURRIED);
      await journey.enter('joe@müller.example');
      await journey.service.nextRequest();
      expect(journey.service.asked).toEqual([await journey.visitor.read('email.value')]);
      await journey.seeState('accepted');
    });

    test('keeps the verdict of a page that was left and is back', async ({ journey, site, visitor }) => {
      const elsewhere = site.origin() + site.html('<!doctype html><title>Elsewhere</title>');
      await journey.open({
        ...UNHURRIED,
        before: `addEventListener('pageshow', function (event) { window.persisted = event.persisted })`,
      });
      await journey.enter(NO);
      await journey.seeState('rejected');
      await visitor.open(elsewhere);
      await visitor.read('void setTimeout(function () { history.back() }, 0)');
      await journey.see('document.title', 'A page');
      // After all scripts.
      await journey.see('typeof window.persisted', 'boolean');
      if (await visitor.read('window.persisted')) await journey.seeCustomValidity(TEXTS.invalid);
      // If the browser has loaded the page again, a restored value must get its verdict before it can be sent.
      else if (await visitor.read('email.value')) {
        await visitor.click('#send');
        await journey.seeCustomValidity(TEXTS.invalid);
      }
      expect(journey.service.asked[0]).toBe(NO);
      expect(site.submissions).toEqual([]);
    });

    test('fires no error on a page left during a request, and sends no more', async ({ journey, site }) => {
      const { service, visitor } = journey;
      const elsewhere = site.origin() + site.html('<!doctype html><title>Elsewhere</title>');
      service.hold();
      await journey.open({
        ...UNHURRIED,
        before: `addEventListener('error', function (event) {
          if (event instanceof CustomEvent) sessionStorage.failed = event.detail.message;
        }, true)`,
      });
      await visitor.type('#email', JOE);
      // The focus stays in the input, because Firefox removes it once the page was left.
      await visitor.press('Enter');
      await service.nextRequest();
      await visitor.open(elsewhere);
      await journey.see('document.title', 'Elsewhere');
      expect(await visitor.read('sessionStorage.failed || null')).toBeNull();
      expect(service.asked).toEqual([JOE]);
    });

    if (fate === 'on time' || fate === 'late') {
      test('takes a suggestion by a click, and by the keyboard alone', async ({ journey, visitor }) => {
        await journey.open();
        const { service } = journey;
        await journey.enter(TYPO);
        await journey.seeState('rejected');
        await journey.seeStatus(`Did you mean ${JOE}?`);
        const centre = await visitor.read<string>(
          `(function () {
            var box = document.querySelector('.email-verify-status').shadowRoot.querySelector('button').getBoundingClientRect();
            var found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return found && found.className;
          })()`,
        );
        expect(centre, 'what lies under the mouse there').toContain('email-verify-status');
        await visitor.read(
          `document.querySelector('.email-verify-status').shadowRoot.querySelector('button').click()`,
        );
        await journey.see('email.value', JOE);
        await journey.seeState('accepted');

        await visitor.empty('#email');
        await visitor.type('#email', TYPO);
        await journey.seeState('rejected');
        await visitor.press('Tab');
        await visitor.press('Enter');
        await journey.see('email.value', JOE);
        // On a machine that stalls between two keys, a part of the address is asked for, too.
        expect(service.asked.filter((email) => [TYPO, JOE].includes(email))).toEqual([TYPO, JOE]);
      });

      test('works under a strict policy, without a violation', async ({ journey, service, visitor }) => {
        const policy =
          `default-src 'none'; script-src 'unsafe-inline' ${service.origin}; connect-src ${service.origin};
          form-action 'self'; frame-src 'self'; img-src 'self'; require-trusted-types-for 'script'`.replaceAll(
            /\s+/g,
            ' ',
          );
        await journey.open({
          headers: { 'content-security-policy': policy },
          before: `var violations = [];
            addEventListener('securitypolicyviolation', function (event) { violations.push(event.violatedDirective) });`,
        });
        await journey.enter(TYPO);
        await journey.seeState('rejected');
        await journey.seeStatus(`Did you mean ${JOE}?`);
        expect(await visitor.read('violations')).toEqual([]);
      });

      test('shows the status at its input, and keeps it there', async ({ journey, visitor }) => {
        await journey.open({
          body: `<div id="box" style="height: 300px; overflow: auto; transform: translateX(20px)">
            <div style="padding: 100px 0 900px">${FORM.replace('</p>', '</p><p style="height: 60px"></p>')}</div></div>`,
        });
        await visitor.type('#email', NO);
        await journey.seeStatus(TEXTS.invalid);
        const distance = `(function () {
          var box = document.querySelector('.email-verify-status').shadowRoot.querySelector('[part~=status]');
          var its = box.getBoundingClientRect(), inputs = email.getBoundingClientRect();
          return [Math.abs(its.left - inputs.left) < 2, Math.abs(its.top - inputs.bottom) < 12];
        })()`;
        await journey.see(distance, [true, true]);
        await visitor.read('box.scrollTop = 60');
        await journey.see(distance, [true, true]);
      });

      test('gives the edge of a rejection its dark colour on a dark page', async ({ journey, visitor }) => {
        await journey.open({ body: `<style>:root { color-scheme: dark }</style>${FORM}` });
        await visitor.type('#email', NO);
        await journey.seeStatus(TEXTS.invalid);
        const colours = `(function () {
          var parent = document.body.appendChild(document.createElement('div'));
          var mixed = parent.appendChild(document.createElement('div'));
          parent.style.color = 'CanvasText';
          mixed.style.color = 'color-mix(in srgb, #f22 55%, currentColor)';
          var box = document.querySelector('.email-verify-status').shadowRoot.querySelector('[part~=status]');
          return [box, mixed].map(function (each) { return getComputedStyle(each).borderInlineStartColor });
        })()`;
        const [edge, expected] = (await visitor.read(colours)) as string[];
        expect(edge).toBe(expected);
      });

      test('shows the status in a modal dialog, and its suggestion can be taken', async ({ journey }) => {
        const { visitor } = journey;
        await journey.open({ body: `<dialog id="dialog">${FORM}</dialog>`, after: 'dialog.showModal()' });
        await visitor.type('#email', TYPO);
        await journey.seeStatus(`Did you mean ${JOE}?`);
        await visitor.press('Tab');
        await visitor.press('Enter');
        await journey.see('email.value', JOE);
        expect(await visitor.read('dialog.contains(document.querySelector(".email-verify-status"))')).toBe(
          true,
        );
      });

      test('verifies, guards and describes an input in a shadow root', async ({ journey, visitor }) => {
        await journey.open({
          body: '<div id="host"></div>',
          after: `var root = host.attachShadow({ mode: 'open' });
            var form = document.createElement('form'), email = document.createElement('input');
            email.type = 'email'; email.id = 'email'; form.append(email); root.append(form);
            email.focus();`,
        });
        await visitor.typeOn(NO);
        await visitor.press('Tab');
        await journey.see(`email.getAttribute('data-email-verify')`, 'rejected');
        expect(await visitor.read('email.validationMessage')).toBe(TEXTS.invalid);
        await journey.see(`Boolean(root.querySelector('.email-verify-status'))`, true);
      });
    }
  });
}
