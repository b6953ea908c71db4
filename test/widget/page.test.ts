// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import {
  ANN,
  ask,
  enter,
  expectNoRequest,
  FORM,
  installIn,
  JOE,
  openPage,
  type PageUnderTest,
  stateOf,
  statuses,
  type,
  verify,
} from './page-under-test.ts';
import { resultOf, settle } from './scripted-fetch.ts';

async function expectVerified(page: PageUnderTest, input: HTMLInputElement, address = JOE) {
  await ask(input, address);
  expect(page.service.last.email).toBe(address);
  await page.service.last.answer(200, resultOf(address));
  expect(stateOf(input)).toBe('accepted');
}

async function expectLeftAlone(page: PageUnderTest, input: HTMLInputElement) {
  const before = input.outerHTML;
  enter(input);
  await ask(input);
  await expectNoRequest(page);
  expect(input.outerHTML).toBe(before);
  expect(statuses()).toEqual([]);
}

describe('an input is verified', () => {
  it.each([
    ['in a form', FORM, 'input'],
    ['outside a form', '<input type="email">', 'input'],
    ['tied to a form by its form attribute', '<form id="f"></form><input type="email" form="f">', 'input'],
    ['in an open dialog', '<dialog open><input type="email"></dialog>', 'input'],
    ['that is one of several', '<input type="text"><input type="email" id="a"><input type="email">', '#a'],
  ])('%s', async (_, html, selector) => {
    const page = installIn(html);
    await expectVerified(page, page.input(selector));
  });

  it('that was added later', async () => {
    const page = installIn('<main></main>');
    document.body.insertAdjacentHTML('beforeend', FORM);
    await expectVerified(page, page.input());
  });

  it.each<[string, string, (input: HTMLInputElement) => unknown]>([
    ['whose type changed later', '<input type="text">', (input) => (input.type = 'email')],
    ['that is not disabled any more', '<input type="email" disabled>', (input) => (input.disabled = false)],
  ])('%s', async (_, html, change) => {
    const page = installIn(html);
    await expectLeftAlone(page, page.input());
    change(page.input());
    await expectVerified(page, page.input());
  });

  it('that was moved to another place', async () => {
    const page = installIn(`${FORM}<form id="other"></form>`);
    await verify(page, JOE);
    page.form('#other').append(page.input());
    await expectVerified(page, page.input(), ANN);
    expect(statuses()).toHaveLength(1);
  });

  it('in an open shadow root, left by a change that does not leave it', async () => {
    const page = installIn('<div></div>');
    const root = page.input('div').attachShadow({ mode: 'open' });
    root.innerHTML = '<input type="email">';
    const input = root.querySelector('input') as HTMLInputElement;
    type(input, JOE);
    input.dispatchEvent(new Event('change', { bubbles: true }));
    await settle();
    expect(page.service.last.email).toBe(JOE);
  });

  it('that matches the page’s own selector, whatever its type', async () => {
    const page = installIn('<input name="mail"><input type="email">', { inputSelector: '[name=mail]' });
    await expectVerified(page, page.input('[name=mail]'));
    await expectLeftAlonePart(page, page.input('[type=email]'));
  });

  async function expectLeftAlonePart(page: PageUnderTest, input: HTMLInputElement) {
    await ask(input, ANN);
    await expectNoRequest(page, 1);
    expect(stateOf(input)).toBeNull();
  }
});

describe('an input is ignored', () => {
  it.each([
    ['that is no e-mail input', '<input type="text">', {}],
    ['that is read-only', '<input type="email" readonly>', {}],
    ['that is disabled', '<input type="email" disabled>', {}],
    ['whose name is ignored', '<input type="email" name="cc">', { ignoredInputs: ['bcc', 'cc'] }],
    ['whose form is ignored', '<form name="login"><input type="email"></form>', { ignoredForms: ['login'] }],
    [
      'whose form is ignored, though it stands outside',
      '<form name="login" id="f"></form><input type="email" form="f">',
      { ignoredForms: ['login'] },
    ],
    [
      'whose form is ignored, though a control is named "name"',
      '<form name="login"><input name="name"><input type="email" id="e"></form>',
      { ignoredForms: ['login'] },
    ],
    ['that the page’s selector does not match', '<input type="email">', { inputSelector: '.verify' }],
  ])('%s', async (_, html, options) => {
    const page = installIn(html, options);
    await expectLeftAlone(page, page.input('[id=e], [type=email], input'));
  });

  it('whose type is another one after its first use', async () => {
    const page = installIn(FORM);
    await ask(page.input());
    page.input().type = 'text';
    await ask(page.input(), ANN);
    await expectNoRequest(page, 1);
  });

  it('when it is not an input', async () => {
    const page = installIn('<textarea class="email"></textarea>', { inputSelector: '.email' });
    await expectLeftAlone(page, page.input('textarea'));
  });

  it.each([
    ['an input with another name', '<input type="email" name="email">', { ignoredInputs: ['cc'] }],
    [
      'a form with another name',
      '<form name="signup"><input type="email"></form>',
      { ignoredForms: ['login'] },
    ],
    ['an input without a name', '<input type="email">', { ignoredInputs: ['null', ''] }],
  ])('but not %s', async (_, html, options) => {
    const page = installIn(html, options);
    await expectVerified(page, page.input());
  });
});

it('adds no element, attribute or listener to an input before the visitor uses it', async () => {
  const { input } = openPage(`${FORM}<input type="email" id="b" value="${JOE}">`);
  let listeners = 0;
  input().addEventListener = () => listeners++;
  const before = document.documentElement.outerHTML;
  const page = installInPresent();
  await expectNoRequest(page);
  expect(document.documentElement.outerHTML).toBe(before);
  expect(listeners).toBe(0);

  function installInPresent() {
    const html = document.body.innerHTML;
    const installed = installIn(html);
    installed.input().addEventListener = () => listeners++;
    return installed;
  }
});
