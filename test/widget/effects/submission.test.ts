// @vitest-environment happy-dom
/** What a form's `submit` event meets. What clicks and Enter do is the browser's part: see e2e/forms.spec.ts. */
import { describe, expect, it, vi } from 'vitest';
import {
  ANN,
  ask,
  customValidity,
  expectNoRequest,
  FORM,
  installIn,
  JOE,
  leave,
  type PageUnderTest,
  statusText,
  submit,
  type,
  verify,
  wait,
} from '../page-under-test.ts';
import { resultOf, settle } from '../scripted-fetch.ts';

const UNDELIVERABLE = { state: 'undeliverable' };
const MESSAGES = { verifying: 'VERIFYING', invalid: 'INVALID' };

/** Counts the submit events that the page's own listeners see. */
function listenTo(page: PageUnderTest) {
  const seen = { count: 0 };
  const count = () => seen.count++;
  page.form().addEventListener('submit', count);
  document.addEventListener('submit', count, { capture: true, once: true });
  return seen;
}

describe('a submission is stopped, and hidden from the page’s own listeners,', () => {
  it('while a verdict is pending', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    type(page.input(), JOE);
    const seen = listenTo(page);
    expect(submit(page.form()).defaultPrevented).toBe(true);
    await settle();
    expect(seen.count).toBe(0);
    expect(customValidity(page.input())).toBe('VERIFYING');
    await wait(300);
    expect(statusText(page.input())).toBe('VERIFYING');
  });

  it('when an address is rejected, though the page has cleared the validity', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, UNDELIVERABLE);
    page.input().setCustomValidity('');
    const seen = listenTo(page);
    expect(submit(page.form()).defaultPrevented).toBe(true);
    expect(seen.count).toBe(0);
    expect(customValidity(page.input())).toBe('INVALID');
  });

  it('when one of several inputs is rejected and another one is pending', async () => {
    const page = installIn(
      '<form><input type="email" id="a" value="joe@localhost"><input type="email" id="b" value="joe@shop.example"></form>',
      { messages: MESSAGES },
    );
    const seen = listenTo(page);
    expect(submit(page.form()).defaultPrevented).toBe(true);
    expect(seen.count).toBe(0);
    expect(customValidity(page.input('#a'))).toBe('INVALID');
    expect(customValidity(page.input('#b'))).toBe('VERIFYING');
  });

  it('when one of several inputs is rejected', async () => {
    const page = installIn('<form><input type="email" id="a"><input type="email" id="b"></form>');
    await verify(page, JOE, UNDELIVERABLE, page.input('#a'));
    await verify(page, ANN, {}, page.input('#b'));
    expect(submit(page.form()).defaultPrevented).toBe(true);
  });

  it('when the input is tied to the form by its form attribute', async () => {
    const page = installIn('<form id="f"></form><input type="email" form="f">');
    await verify(page, JOE, UNDELIVERABLE);
    expect(submit(page.form()).defaultPrevented).toBe(true);
  });
});

it('opens closed fields after a result, and after a failure', async () => {
  for (const end of [200, 500]) {
    const page = installIn(FORM, { messages: MESSAGES });
    type(page.input(), `${end}.${JOE}`);
    submit(page.form());
    await settle();
    expect(customValidity(page.input())).toBe('VERIFYING');
    await page.service.last.answer(end, resultOf(JOE));
    expect(customValidity(page.input())).toBe('');
    page.widget.destroy();
  }
});

it('opens closed fields after an edit', async () => {
  const page = installIn(FORM, { messages: MESSAGES });
  type(page.input(), JOE);
  submit(page.form());
  type(page.input(), ANN);
  expect(customValidity(page.input())).toBe('');
});

it('replaces "verifying" by the rejection', async () => {
  const page = installIn(FORM, { messages: MESSAGES });
  type(page.input(), JOE);
  submit(page.form());
  await settle();
  await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
  expect(customValidity(page.input())).toBe('INVALID');
});

describe('a held submission', () => {
  async function hold() {
    const page = installIn(FORM);
    type(page.input(), JOE);
    const requestSubmit = vi.spyOn(HTMLFormElement.prototype, 'requestSubmit').mockImplementation(() => {});
    const submitter = page.form().querySelector('button');
    const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
    // As if the visitor had pressed the button.
    Object.defineProperty(event, 'isTrusted', { value: true });
    page.form().dispatchEvent(event);
    await settle();
    const accept = async (address: string) => {
      await page.service.last.answer(200, resultOf(address));
      await wait(0);
    };
    return { page, submitter, requestSubmit, accept };
  }

  it('is carried out once, with its submitter', async () => {
    const { page, submitter, requestSubmit, accept } = await hold();
    await accept(JOE);
    await verify(page, ANN);
    await wait(0);
    expect(requestSubmit.mock.calls).toEqual([[submitter]]);
  });

  it('is carried out although the visitor goes on to an input outside all forms', async () => {
    const { submitter, requestSubmit, accept } = await hold();
    document.body.insertAdjacentHTML('beforeend', '<input type="email">');
    type(document.body.lastElementChild as HTMLInputElement, 'ann');
    await accept(JOE);
    expect(requestSubmit.mock.calls).toEqual([[submitter]]);
  });

  it('is never carried out after an edit', async () => {
    const { page, requestSubmit, accept } = await hold();
    await ask(page.input(), ANN);
    await accept(ANN);
    expect(requestSubmit).not.toHaveBeenCalled();
  });
});

describe('a submission passes, and the page sees one event,', () => {
  async function expectToPass(page: PageUnderTest, submitter: HTMLElement | null = null) {
    const seen = { count: 0 };
    page.form().addEventListener('submit', () => seen.count++);
    expect(submit(page.form(), submitter).defaultPrevented).toBe(false);
    expect(seen.count).toBe(1);
  }

  it('when all is accepted', async () => {
    const page = installIn(FORM);
    await verify(page, JOE);
    await expectToPass(page);
  });

  it('when there is nothing to verify', async () => {
    await expectToPass(installIn(FORM));
    await expectToPass(installIn('<form><input type="text" value="joe"></form>'));
  });

  it('when its button has formnovalidate', async () => {
    const page = installIn('<form><input type="email"><button formnovalidate>Save</button></form>');
    type(page.input(), JOE);
    await expectToPass(page, document.querySelector('button'));
    leave(page.input());
    await settle();
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    await expectToPass(page, document.querySelector('button'));
  });

  it('when it closes a dialog', async () => {
    const page = installIn('<dialog open><form method="dialog"><input type="email"></form></dialog>');
    type(page.input(), JOE);
    await expectToPass(page);
    leave(page.input());
    await settle();
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(customValidity(page.input())).toBe('');
    await expectToPass(page);
  });

  it('when its button closes a dialog', async () => {
    const page = installIn('<form><input type="email"><button formmethod="dialog">Cancel</button></form>');
    type(page.input(), JOE);
    await expectToPass(page, document.querySelector('button'));
  });

  it('when the input cannot be seen, nor corrected', async () => {
    const page = installIn('<form><div hidden><input type="email" value="joe@shop.example"></div></form>');
    await expectToPass(page);
    await expectNoRequest(page);
  });

  it('when the form, or the input, is ignored', async () => {
    const page = installIn('<form name="login"><input type="email" name="cc" value="joe"></form>', {
      ignoredForms: ['login'],
    });
    await expectToPass(page);
    page.widget.set({ ignoredForms: [], ignoredInputs: ['cc'] });
    await expectToPass(page);
  });

  it('when it belongs to another form', async () => {
    const page = installIn('<form></form><form id="other"><input type="email"></form>');
    type(page.input(), JOE);
    await expectToPass(page);
  });
});

it('puts a rejection back right after a press that needs no validation, for what the page does then', async () => {
  const page = installIn('<form><input type="email"><button formnovalidate>Save draft</button></form>', {
    messages: MESSAGES,
  });
  await verify(page, JOE, UNDELIVERABLE);
  let during: string | undefined;
  page.form().addEventListener('submit', (event) => {
    during = customValidity(page.input());
    event.preventDefault();
  });
  page.form().querySelector('button')!.click();
  expect(during).toBe('');
  await wait(0);
  expect(customValidity(page.input())).toBe('INVALID');
});

it('holds a form that has controls named like its own properties', async () => {
  const page = installIn(
    `<form><input type="email" name="elements">${[
      'submit',
      'method',
      'target',
      'querySelector',
      'getAttribute',
    ]
      .map((name) => `<input name="${name}">`)
      .join('')}</form>`,
  );
  type(page.input(), JOE);
  expect(submit(page.form()).defaultPrevented).toBe(true);
  await settle();
  expect(page.service.last.email).toBe(JOE);
});

describe('novalidate', () => {
  const NOVALIDATE = '<form novalidate="yes"><input type="email"></form>';

  it('is removed from forms with a monitored input, and restored unchanged', () => {
    const page = installIn(`${NOVALIDATE}<form id="other" novalidate><input name="q"></form>`);
    expect(page.form().hasAttribute('novalidate')).toBe(false);
    expect(page.form('#other').hasAttribute('novalidate')).toBe(true);
    page.widget.destroy();
    expect(page.form().getAttribute('novalidate')).toBe('yes');
    page.form().removeAttribute('novalidate');
    page.widget.destroy();
    expect(page.form().hasAttribute('novalidate')).toBe(false);
  });

  it('stays on forms with ignored inputs, and on ignored forms', () => {
    const page = installIn('<form name="login" novalidate><input type="email"></form>', {
      ignoredForms: ['login'],
    });
    expect(page.form().hasAttribute('novalidate')).toBe(true);
    page.widget.set({ ignoredForms: [] });
    expect(page.form().hasAttribute('novalidate')).toBe(false);
    page.widget.set({ ignoredForms: ['login'] });
    expect(page.form().hasAttribute('novalidate')).toBe(true);
  });

  it('is removed at first contact from a form that was added later', () => {
    const page = installIn('');
    document.body.innerHTML = NOVALIDATE;
    expect(page.form().hasAttribute('novalidate')).toBe(true);
    type(page.input(), 'j');
    expect(page.form().hasAttribute('novalidate')).toBe(false);
    page.widget.destroy();
    expect(page.form().getAttribute('novalidate')).toBe('yes');
  });

  it('is restored on a form that leaves the page, which can then be collected', async () => {
    const page = installIn(NOVALIDATE);
    const form = page.form();
    await verify(page, JOE, {});
    form.remove();
    await wait(1000);
    expect(form.getAttribute('novalidate')).toBe('yes');
    document.body.append(form);
    type(page.input(), ANN);
    expect(form.hasAttribute('novalidate')).toBe(false);
    page.widget.destroy();
    expect(form.getAttribute('novalidate')).toBe('yes');
  });

  it('is removed again at a submission, if the page has set it again', () => {
    const page = installIn(NOVALIDATE);
    type(page.input(), JOE);
    page.form().setAttribute('novalidate', '');
    submit(page.form());
    expect(page.form().hasAttribute('novalidate')).toBe(false);
  });
});
