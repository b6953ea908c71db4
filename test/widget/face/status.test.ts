// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import {
  ANN,
  ask,
  customValidity,
  enter,
  FORM,
  installIn,
  JOE,
  leave,
  record,
  spinnerIn,
  stateOf,
  statuses,
  statusOf,
  statusText,
  suggestionIn,
  type,
  typesOf,
  verify,
  wait,
} from '../page-under-test.ts';
import { resultOf, settle } from '../scripted-fetch.ts';

const UNDELIVERABLE = { state: 'undeliverable' };
const MISSPELT = { state: 'undeliverable', did_you_mean: ANN };

describe('the status element', () => {
  it('exists before its first text, has the role status, and is in the body', () => {
    const page = installIn(FORM);
    enter(page.input());
    const status = statusOf(page.input());
    expect(status.getAttribute('role')).toBe('status');
    expect(status.parentNode).toBe(document.body);
    expect(statusText(page.input())).toBe('');
  });

  it('stays the same element, whatever happens to its input', async () => {
    const page = installIn(FORM);
    enter(page.input());
    const status = statusOf(page.input());
    await verify(page, JOE, UNDELIVERABLE);
    await verify(page, ANN);
    expect(statuses()).toEqual([status]);
    expect(statusOf(page.input())).toBe(status);
  });

  it('is placed again a quarter of a second after the page has changed, also if that has cancelled all frames', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    await wait(1_000);
    const asked = vi.spyOn(globalThis, 'requestAnimationFrame').mockReturnValue(1);
    document.body.append('a change');
    await settle();
    expect(asked).toHaveBeenCalledTimes(1);
    // That frame never comes.
    await wait(250);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('looks by one timer with its field while it stands, and has one frame waiting at most', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    await wait(1_000);
    expect(vi.getTimerCount()).toBe(1);
    const calls: string[] = [];
    vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation(() => calls.push('asked'));
    vi.spyOn(globalThis, 'cancelAnimationFrame').mockImplementation((frame) => {
      calls.push(`cancelled ${frame}`);
    });
    document.body.append('a change');
    await settle();
    await wait(500);
    expect(calls).toEqual(['asked', 'cancelled 1', 'asked', 'cancelled 3', 'asked']);
  });

  it('exists once for each input in use', async () => {
    const page = installIn(
      '<input type="email" id="a"><input type="email" id="b"><input type="email" id="c">',
    );
    enter(page.input('#a'));
    enter(page.input('#b'));
    expect(statuses()).toHaveLength(2);
    expect(new Set(statuses().map(({ id }) => id)).size).toBe(2);
    expect(statusOf(page.input('#a'))).not.toBe(statusOf(page.input('#b')));
  });

  it('is removed with its input', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    page.input().remove();
    await wait(1000);
    expect(statuses()).toEqual([]);
  });
});

describe('its message', () => {
  it('is text, never markup', async () => {
    const page = installIn(FORM, { messages: { invalid: '<img src=x onerror=alert(1)> &amp;' } });
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusText(page.input())).toBe('<img src=x onerror=alert(1)> &amp;');
    expect(statusOf(page.input()).shadowRoot?.querySelector('img')).toBeNull();
  });

  it('is also text in a suggestion of the service', async () => {
    const page = installIn(FORM, { messages: { didYouMean: 'Rather [EMAIL]?' } });
    await verify(page, JOE, { ...MISSPELT, did_you_mean: '<b>ä</b>@b.example' });
    expect(statusText(page.input())).toBe('Rather <b>ä</b>@b.example?');
    expect(statusOf(page.input()).shadowRoot?.querySelector('b')).toBeNull();
  });

  it('is invisible if the text is empty, while the address is rejected', async () => {
    const page = installIn(FORM, { messages: { invalid: '' } });
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusText(page.input())).toBe('');
    expect(stateOf(page.input())).toBe('rejected');
    expect(page.input().validity.customError).toBe(true);
  });

  it('shows a spinner in the page’s colour only during a verification', async () => {
    const page = installIn(FORM, { style: { loadingIconColor: 'rgb(1, 2, 3)' } });
    type(page.input(), JOE);
    expect(spinnerIn(page.input())).toBeNull();
    leave(page.input());
    await wait(300);
    expect(spinnerIn(page.input())?.style.color).toBe('rgb(1, 2, 3)');
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(spinnerIn(page.input())).toBeNull();
  });

  it('is not announced again while it stays the same', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    const tree = statusOf(page.input()).shadowRoot as ShadowRoot;
    let changes = 0;
    new MutationObserver((records) => {
      changes += records.filter((entry) => entry.type !== 'attributes').length;
    }).observe(tree, { subtree: true, childList: true, characterData: true });
    enter(page.input());
    leave(page.input(), { changed: false });
    await wait(5000);
    expect(changes).toBe(0);
    type(page.input(), ANN);
    await wait(10);
    expect(changes).toBeGreaterThan(0);
  });
});

describe('a suggestion', () => {
  it('is a button within the message, named by the address', async () => {
    const page = installIn(FORM, { messages: { didYouMean: 'Did you mean [EMAIL]?' } });
    await verify(page, JOE, MISSPELT);
    expect(statusText(page.input())).toBe(`Did you mean ${ANN}?`);
    expect(suggestionIn(page.input())?.textContent).toBe(ANN);
    expect(customValidity(page.input())).toBe(`Did you mean ${ANN}?`);
  });

  it('is there for each placeholder of the message', async () => {
    const page = installIn(FORM, { messages: { didYouMean: '[EMAIL] or [EMAIL]?' } });
    await verify(page, JOE, MISSPELT);
    expect(statusText(page.input())).toBe(`${ANN} or ${ANN}?`);
  });

  it('is missing in a message without a placeholder, and in all other messages', async () => {
    const page = installIn(FORM, { messages: { didYouMean: 'Misspelt?' } });
    await verify(page, JOE, MISSPELT);
    expect(statusText(page.input())).toBe('Misspelt?');
    expect(suggestionIn(page.input())).toBeNull();
    await verify(page, 'joe@other.example', UNDELIVERABLE);
    expect(suggestionIn(page.input())).toBeNull();
  });

  it('puts the address into the input as if typed, and verifies it at once', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE, MISSPELT);
    const heard: string[] = [];
    for (const name of ['input', 'change']) {
      document.addEventListener(
        name,
        (event) => heard.push(`${event.type} ${(event.target as HTMLInputElement).value}`),
        { once: true },
      );
    }
    suggestionIn(input)?.click();
    await settle();
    expect(input.value).toBe(ANN);
    expect(heard).toEqual([`input ${ANN}`, `change ${ANN}`]);
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE, ANN]);
    expect(stateOf(input)).toBe('verifying');
    await page.service.last.answer(200, resultOf(ANN));
    expect(stateOf(input)).toBe('accepted');
    expect(statusText(input)).toBe('');
  });

  it('reaches a page that has a value of its own on the input', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE, MISSPELT);
    const native = Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value',
    ) as Required<PropertyDescriptor>;
    const tracked: string[] = [];
    Object.defineProperty(input, 'value', {
      configurable: true,
      get: () => native.get.call(input),
      set: (value: string) => {
        tracked.push(value);
        native.set.call(input, value);
      },
    });
    suggestionIn(input)?.click();
    expect(native.get.call(input)).toBe(ANN);
    expect(tracked).toEqual([]);
  });

  it('is also shown for an accepted address', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, { did_you_mean: ANN });
    expect(suggestionIn(page.input())?.textContent).toBe(ANN);
    expect(customValidity(page.input())).toBe('');
  });

  it('is verified at once with verifyOn "submit" too', async () => {
    const page = installIn('<input type="email">', { verifyOn: 'input' });
    await verify(page, JOE, MISSPELT);
    page.widget.set({ verifyOn: 'submit' });
    suggestionIn(page.input())?.click();
    await settle();
    expect(page.service.last.email).toBe(ANN);
  });

  it('replaces only its own address in a list', async () => {
    const page = installIn('<form><input type="email" multiple></form>');
    await ask(page.input(), `first@shop.example, ${JOE}, last@shop.example`);
    for (const request of page.service.requests) {
      await request.answer(200, resultOf(request.email, request.email === JOE ? MISSPELT : {}));
    }
    suggestionIn(page.input())?.click();
    await settle();
    expect(page.input().value.replaceAll(' ', '')).toBe(`first@shop.example,${ANN},last@shop.example`);
    expect(page.service.requests.map(({ email }) => email)).toEqual([
      'first@shop.example',
      JOE,
      'last@shop.example',
      ANN,
    ]);
  });
});

describe('a floating suggestion, by keyboard', () => {
  /** A page without frames, in which nothing measures the input. Elements of happy-dom have no size. */
  async function open() {
    vi.spyOn(globalThis, 'requestAnimationFrame').mockReturnValue(1);
    const page = installIn(`${FORM}<a href="#">Terms</a>`);
    await verify(page, JOE, MISSPELT);
    const input = page.input();
    input.focus();
    const root = statusOf(input).shadowRoot as ShadowRoot;
    const box = root.querySelector<HTMLElement>('[part=status]')!;
    const isAway = () => box.style.clipPath !== '';
    return { input, suggestion: suggestionIn(input)!, root, box, isAway };
  }

  /** @returns whether the page lets the browser do its own */
  const press = (target: Element, key: string, modifiers: KeyboardEventInit = {}) =>
    target.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...modifiers }),
    );

  it('is next to the input for Tab', async () => {
    const { input, suggestion, root } = await open();
    expect(press(input, 'Tab')).toBe(false);
    expect(root.activeElement).toBe(suggestion);
    // The browser goes on from the input.
    expect(press(suggestion, 'Tab')).toBe(true);
    expect(root.activeElement).toBeNull();
    expect(document.activeElement).toBe(input);
  });

  it('leads back to the input by Shift+Tab', async () => {
    const { input, suggestion, root } = await open();
    press(input, 'Tab');
    expect(press(suggestion, 'Tab', { shiftKey: true })).toBe(false);
    expect(document.activeElement).toBe(input);
    expect(press(input, 'Tab', { shiftKey: true })).toBe(true);
    expect(root.activeElement).toBeNull();
  });

  it('takes the focus if Shift+Tab comes back to the input from behind it', async () => {
    const { input, suggestion, root } = await open();
    const link = document.querySelector('a')!;
    const comeFrom = (relatedTarget: Element) =>
      input.dispatchEvent(new FocusEvent('focusin', { relatedTarget }));
    comeFrom(link);
    expect(root.activeElement).toBeNull();
    press(link, 'Tab', { shiftKey: true });
    comeFrom(link);
    expect(root.activeElement).toBe(suggestion);
  });

  it('is passed over while nobody can see it', async () => {
    const { input, root, box } = await open();
    box.hidden = true;
    expect(press(input, 'Tab')).toBe(true);
    box.hidden = false;
    // As for an input that is scrolled away.
    box.style.clipPath = 'inset(50%)';
    expect(press(input, 'Tab')).toBe(true);
    expect(root.activeElement).toBeNull();
  });

  it('leaves all other keys alone', async () => {
    const { input, root, isAway } = await open();
    const tried: [string, KeyboardEventInit][] = [
      ...(['ctrlKey', 'altKey', 'metaKey'] as const).map((name): [string, KeyboardEventInit] => [
        'Tab',
        { [name]: true },
      ]),
      ['a', {}],
      ['Escape', { ctrlKey: true }],
    ];
    for (const [key, modifiers] of tried) expect(press(input, key, modifiers), key).toBe(true);
    expect(press(document.querySelector('a')!, 'Escape')).toBe(true);
    expect([root.activeElement, isAway()]).toEqual([null, false]);
  });

  it('goes away by Escape, also from the suggestion, and only then leaves Escape to the page', async () => {
    const { input, suggestion, isAway } = await open();
    const heard: string[] = [];
    document.addEventListener('keydown', ({ key }) => heard.push(key));
    press(input, 'Tab');
    expect(press(suggestion, 'Escape')).toBe(false);
    expect(isAway()).toBe(true);
    expect(document.activeElement).toBe(input);
    expect(press(input, 'Escape')).toBe(true);
    expect(heard).toEqual(['Tab', 'Escape']);
  });
});

describe('its parent', () => {
  it.each([
    ['a selector', '.slot'],
    ['a selector in the input’s form', 'form .slot'],
  ])('%s', (_, statusAppendTo) => {
    const page = installIn('<form><input type="email"><p class="slot"></p></form>', { statusAppendTo });
    enter(page.input());
    expect(statusOf(page.input()).parentNode).toBe(document.querySelector('.slot'));
  });

  it('is looked up in the input’s form, then in the document, for each input', () => {
    const page = installIn(
      `<p class="slot" id="page"></p>
       <form><input type="email" id="a"><p class="slot" id="form"></p></form>
       <form><input type="email" id="b"></form>
       <input type="email" id="c">`,
      { statusAppendTo: '.slot' },
    );
    const homes = ['#a', '#b', '#c'].map((selector) => {
      enter(page.input(selector));
      return (statusOf(page.input(selector)).parentNode as Element).id;
    });
    expect(homes).toEqual(['form', 'page', 'page']);
  });

  it('may be an element', () => {
    const slot = document.createElement('section');
    const page = installIn(FORM, { statusAppendTo: slot });
    document.body.append(slot);
    enter(page.input());
    expect(statusOf(page.input()).parentNode).toBe(slot);
  });

  it('is the body if the selector matches no element', async () => {
    const page = installIn(FORM, { statusAppendTo: '#nowhere' });
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusOf(page.input()).parentNode).toBe(document.body);
  });

  it('is the open dialog of its input, because everything outside is inert', () => {
    const page = installIn('<dialog open><form><input type="email"></form></dialog>');
    enter(page.input());
    expect(statusOf(page.input()).parentNode).toBe(document.querySelector('dialog'));
  });

  it('is the shadow root of an input in one, or described in another way', () => {
    const page = installIn('<div id="host"></div>');
    const root = page.input('#host').attachShadow({ mode: 'open' });
    root.innerHTML = '<input type="email">';
    const input = root.querySelector('input') as HTMLInputElement;
    enter(input);
    const described = input.getAttribute('aria-describedby');
    const elements = (input as unknown as { ariaDescribedByElements?: Element[] }).ariaDescribedByElements;
    const status = described ? root.querySelector(`[id="${described}"]`) : elements?.[0];
    expect(status?.getAttribute('role')).toBe('status');
  });
});

describe('the input’s own attributes', () => {
  const OWN =
    '<form><input type="email" aria-describedby="hint more" aria-invalid="false" aria-busy="false"></form>';
  const attributesOf = (input: Element) =>
    ['aria-describedby', 'aria-invalid', 'aria-busy'].map((name) => input.getAttribute(name));

  it('are kept next to ours while it is described, busy and invalid', async () => {
    const page = installIn(OWN);
    const input = page.input();
    type(input, JOE);
    const { id } = statusOf(input);
    expect(attributesOf(input)).toEqual([`hint more ${id}`, 'false', 'false']);
    leave(input);
    await settle();
    expect(attributesOf(input)).toEqual([`hint more ${id}`, 'false', 'true']);
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(attributesOf(input)).toEqual([`hint more ${id}`, 'true', 'false']);
    type(input, ANN);
    expect(attributesOf(input)).toEqual([`hint more ${id}`, 'false', 'false']);
    page.widget.destroy();
    expect(attributesOf(input)).toEqual(['hint more', 'false', 'false']);
  });

  it('keep the values that the page sets meanwhile', async () => {
    const page = installIn(OWN);
    const input = page.input();
    await verify(page, JOE, UNDELIVERABLE);
    input.setAttribute('aria-invalid', 'spelling');
    await wait(1000);
    input.setAttribute('aria-describedby', `new ${statusOf(input).id}`);
    page.widget.destroy();
    expect(attributesOf(input)).toEqual(['new', 'spelling', 'false']);
  });

  it('are described again after the page has removed the description', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE);
    input.removeAttribute('aria-describedby');
    type(input, ANN);
    expect(statusOf(input).getAttribute('role')).toBe('status');
  });

  it('are not invalid for a hint, a failure or a pending address', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, { did_you_mean: ANN });
    expect(page.input().hasAttribute('aria-invalid')).toBe(false);
    await ask(page.input(), ANN);
    expect(page.input().hasAttribute('aria-invalid')).toBe(false);
    await page.service.last.answer(500, '');
    expect(page.input().hasAttribute('aria-invalid')).toBe(false);
  });
});

it('keeps the address and the key out of the console', async () => {
  const page = installIn(FORM, { captcha: '#nowhere', statusAppendTo: '#nowhere' });
  const events = record(page.input());
  await ask(page.input());
  await wait(5000);
  expect(typesOf(events)).toEqual(['verifying', 'error']);
  expect(page.warn.mock.calls.join()).not.toMatch(/joe|test_public/);
});
