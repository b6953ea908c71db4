/**
 * What every visitor must be able to do, in every engine: on the clock that people have, with the keys and the
 * mouse that they have.
 */
import {
  deliverable,
  drop,
  expect,
  FORM,
  rateLimited,
  status,
  TEXTS,
  test,
  tryAgain,
  undeliverable,
} from './fixtures.ts';
import type { Visitor } from './visitor.ts';

const JOE = 'joe@shop.example';
const NO = 'no@shop.example';
const TYPO = 'joe@shpo.example';

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
  service.answer(TYPO, undeliverable({ did_you_mean: JOE }));
});

test('an address that no mail reaches is refused with the reason; a better one goes through', async ({
  journey,
  site,
  visitor,
}) => {
  await journey.open();
  await visitor.type('#email', NO);
  await visitor.press('Tab');
  await journey.seeStatus(TEXTS.invalid);
  await journey.seeCustomValidity(TEXTS.invalid);
  await visitor.click('#send');
  await journey.see('document.activeElement.id', 'email');
  await visitor.empty('#email');
  await visitor.type('#email', JOE);
  await visitor.press('Tab');
  await journey.seeState('accepted');
  await journey.seeStatus('');
  await visitor.click('#send');
  expect((await site.submission()).fields).toEqual({ email: JOE, note: '', via: 'button' });
});

test('an address is asked for once the visitor stops typing', async ({ journey, visitor }) => {
  await journey.open({ options: { verifyAfterDelay: 300 } });
  await visitor.type('#email', JOE);
  await journey.seeState('accepted');
  expect(journey.service.asked).toEqual([JOE]);
  expect(await journey.heard()).toEqual(['verifying', 'verified']);
});

const sendBy = {
  'the button': (visitor: Visitor) => visitor.click('#send'),
  Enter: (visitor: Visitor) => visitor.press('Enter'),
};
for (const way of ['the button', 'Enter'] as const) {
  test(`a form sent by ${way} before the verdict waits for it, and goes once, with its button`, async ({
    journey,
    service,
    site,
    visitor,
  }) => {
    service.hold();
    await journey.open();
    await visitor.type('#email', JOE);
    await sendBy[way](visitor);
    await service.nextRequest();
    await journey.seeStatus(TEXTS.verifying);
    expect(site.submissions).toEqual([]);
    service.release();
    expect((await site.submission()).fields).toEqual({ email: JOE, note: '', via: 'button' });
    await journey.seeState('accepted');
    expect(site.submissions).toHaveLength(1);
  });

  test(`a form sent by ${way} before the verdict stays when that is a rejection, which is shown`, async ({
    journey,
    service,
    site,
    visitor,
  }) => {
    service.hold();
    await journey.open();
    await visitor.type('#email', NO);
    await sendBy[way](visitor);
    await service.nextRequest();
    service.release();
    await journey.seeStatus(TEXTS.invalid);
    await journey.see('document.activeElement.id', 'email');
    // A later submission is the only one: an earlier one would have come before it.
    await visitor.empty('#email');
    await visitor.type('#email', JOE);
    await visitor.click('#send');
    expect((await site.submission()).fields).toMatchObject({ email: JOE });
  });
}

test('a submission by script is held like a press, and goes once', async ({
  journey,
  service,
  site,
  visitor,
}) => {
  service.hold();
  await journey.open();
  await visitor.type('#email', JOE);
  await visitor.read('form.requestSubmit()');
  await service.nextRequest();
  service.release();
  expect((await site.submission()).fields).toEqual({ email: JOE, note: '' });
});

test('a page that only asks for validity while a verdict is pending hears no, and nothing is submitted', async ({
  journey,
  service,
  site,
  visitor,
}) => {
  service.hold();
  await journey.open({
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

test('a suggestion is taken by a click, and by the keyboard alone', async ({ journey, visitor }) => {
  await journey.open();
  const { service } = journey;
  await visitor.type('#email', TYPO);
  await visitor.press('Tab');
  await journey.seeState('rejected');
  await journey.see(
    `document.querySelector('.email-verify-status').shadowRoot.textContent`,
    `Did you mean ${JOE}?`,
  );
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
  expect(service.asked).toEqual([TYPO, JOE]);
});

test('with the service down, the visitor goes on and the page is told', async ({
  journey,
  service,
  site,
  visitor,
}) => {
  service.answer('*', drop());
  await journey.open();
  await visitor.type('#email', JOE);
  await visitor.click('#send');
  expect((await site.submission()).fields).toMatchObject({ email: JOE });
  expect(await journey.heard()).toEqual(['verifying', 'error']);
});

test('what the service sends elsewhere is not followed', async ({ journey, service, site, visitor }) => {
  service.answer('*', { ...status(302), headers: { location: `${site.origin()}/elsewhere` } });
  await journey.open();
  await visitor.type('#email', JOE);
  await visitor.press('Tab');
  await journey.seeState('error');
  expect(await visitor.read('heard[1].detail.status')).toBe(0);
});

test('an answer that takes longer is asked for again', async ({ journey, service, visitor }) => {
  service.answer(JOE, tryAgain(), deliverable());
  await journey.open();
  await visitor.type('#email', JOE);
  await visitor.press('Tab');
  await journey.seeState('accepted');
  expect(service.asked).toEqual([JOE, JOE]);
});

test('over the rate limit, a page that wants it so stops the visitor with the reason', async ({
  journey,
  service,
  site,
  visitor,
}) => {
  service.answer(JOE, rateLimited(), rateLimited(), deliverable());
  await journey.open({ options: { blockOnRateLimit: true } });
  await visitor.type('#email', JOE);
  await visitor.press('Tab');
  await journey.seeStatus(TEXTS.rateLimited);
  await visitor.click('#send');
  await service.nextRequest();
  await service.nextRequest();
  await journey.seeStatus(TEXTS.rateLimited);
  await visitor.click('#send');
  await site.submission();
  expect(service.asked).toEqual([JOE, JOE, JOE]);
});

test('a form with novalidate is guarded, and gets it back', async ({ journey, site, visitor }) => {
  await journey.open({ body: FORM.replace('<form', '<form novalidate'), embed: 'module' });
  const before = await visitor.read('email.outerHTML');
  await visitor.type('#email', NO);
  await visitor.click('#send');
  await journey.seeStatus(TEXTS.invalid);
  expect(site.submissions).toEqual([]);
  await visitor.read('widget.destroy()');
  expect(await visitor.read('form.noValidate')).toBe(true);
  expect(await visitor.read('email.outerHTML')).toBe(before);
  expect(await visitor.read('document.querySelectorAll(".email-verify-status").length')).toBe(0);
  await visitor.click('#send');
  await site.submission();
});

test('under a strict policy everything works, and nothing is reported', async ({
  journey,
  service,
  visitor,
}) => {
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
  await visitor.type('#email', TYPO);
  await visitor.press('Tab');
  await journey.seeState('rejected');
  await journey.see(
    `document.querySelector('.email-verify-status').shadowRoot.textContent`,
    `Did you mean ${JOE}?`,
  );
  expect(await visitor.read('violations')).toEqual([]);
});

test('the status stands by its input, and stays there', async ({ journey, visitor }) => {
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

test('on a dark page the edge of a rejection has its colour for dark pages', async ({ journey, visitor }) => {
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

test('in a modal dialog the status is seen, and its suggestion can be taken', async ({
  journey,
  visitor,
}) => {
  await journey.open({ body: `<dialog id="dialog">${FORM}</dialog>`, after: 'dialog.showModal()' });
  await visitor.type('#email', TYPO);
  await journey.seeState('rejected');
  await visitor.press('Tab');
  await visitor.press('Enter');
  await journey.see('email.value', JOE);
  expect(await visitor.read('dialog.contains(document.querySelector(".email-verify-status"))')).toBe(true);
});

test('an input in a shadow root is verified, guarded and described', async ({ journey, visitor }) => {
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
  expect(await visitor.read(`Boolean(root.querySelector('.email-verify-status'))`)).toBe(true);
});

test('an address of an international domain is asked for as the browser hands it over', async ({
  journey,
  service,
  visitor,
}) => {
  await journey.open();
  await visitor.type('#email', 'joe@müller.example');
  await visitor.press('Tab');
  await service.nextRequest();
  expect(service.asked).toEqual([await visitor.read('email.value')]);
  await journey.seeState('accepted');
});

test('a page that was left and is back still has its verdict, and asks again for what it was asking', async ({
  journey,
  service,
  site,
  visitor,
}) => {
  const elsewhere = site.origin() + site.html('<!doctype html><title>Elsewhere</title>');
  await journey.open({
    before: `addEventListener('pageshow', function (event) { window.persisted = event.persisted })`,
  });
  await visitor.type('#email', NO);
  await visitor.press('Tab');
  await journey.seeState('rejected');
  await visitor.open(elsewhere);
  await visitor.read('void setTimeout(function () { history.back() }, 0)');
  await journey.see('document.title', 'A page');
  if (await visitor.read('window.persisted')) await journey.seeCustomValidity(TEXTS.invalid);
  // Made anew, with the value restored or without: what is there must have its verdict before it can be sent.
  else if (await visitor.read('email.value')) {
    await visitor.click('#send');
    await journey.seeCustomValidity(TEXTS.invalid);
  }
  expect(service.asked[0]).toBe(NO);
  expect(site.submissions).toEqual([]);
});

test('a page that is left while it asks hears of no failure, and asks no more', async ({
  journey,
  service,
  site,
  visitor,
}) => {
  const elsewhere = site.origin() + site.html('<!doctype html><title>Elsewhere</title>');
  service.hold();
  await journey.open({
    before: `addEventListener('error', function (event) {
      if (event instanceof CustomEvent) sessionStorage.failed = event.detail.message;
    }, true)`,
  });
  await visitor.type('#email', JOE);
  // The focus stays in the input: Firefox takes it away once the page was left.
  await visitor.press('Enter');
  await service.nextRequest();
  await visitor.open(elsewhere);
  await journey.see('document.title', 'Elsewhere');
  expect(await visitor.read('sessionStorage.failed || null')).toBeNull();
  expect(service.asked).toEqual([JOE]);
});
