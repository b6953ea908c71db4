// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import type { GivenOptions } from '../../src/widget/index.ts';
import { install } from '../../src/widget/index.ts';
import { DEFAULTS } from '../../src/widget/options.ts';
import {
  ANN,
  ask,
  customValidity,
  enter,
  expectNoRequest,
  FORM,
  installAsleep,
  installIn,
  JOE,
  leave,
  openPage,
  type PageUnderTest,
  record,
  spinnerIn,
  stateOf,
  statuses,
  statusOf,
  statusText,
  submit,
  type,
  typesOf,
  verdictIn,
  verify,
  wait,
} from './page-under-test.ts';
import { resultOf, settle } from './scripted-fetch.ts';

const UNDELIVERABLE = { state: 'undeliverable' };
const MESSAGES = { verifying: 'VERIFYING', invalid: 'INVALID', free: 'FREE', role: 'ROLE' };

describe('installing', () => {
  it('without a key warns once and touches nothing', async () => {
    const page = installIn('<form novalidate><input type="email"></form>', { apiKey: '' });
    const before = document.documentElement.outerHTML;
    await verifyNothing(page);
    expect(document.documentElement.outerHTML).toBe(before);
    expect(page.warn).toHaveBeenCalledTimes(1);
    expect(page.warn.mock.calls[0]?.[0]).toContain('apiKey');
  });

  async function verifyNothing(page: PageUnderTest) {
    await ask(page.input());
    await expectNoRequest(page);
    page.input().value = '';
  }

  it('starts when a key is set later', async () => {
    const page = installIn(FORM, { apiKey: '' });
    await verifyNothing(page);
    page.widget.set({ apiKey: 'test_public' });
    await verify(page, JOE);
    expect(page.service.last.parameters.api_key).toBe('test_public');
  });

  it('takes a key that is set in the same task without a warning', async () => {
    const page = installAsleep(FORM, { apiKey: '' });
    page.widget.set({ apiKey: 'test_public' });
    await wait(1000);
    expect(page.warn).not.toHaveBeenCalled();
  });

  describe('while the document loads', () => {
    function comingIn() {
      let readyState = 'loading';
      vi.spyOn(document, 'readyState', 'get').mockImplementation(() => readyState as DocumentReadyState);
      return function ready() {
        readyState = 'interactive';
        document.dispatchEvent(new Event('DOMContentLoaded', { bubbles: true }));
      };
    }
    const NOVALIDATE = '<form novalidate><input type="email"></form>';

    it('starts when the document is ready, and then removes novalidate from later forms', () => {
      const ready = comingIn();
      const page = installIn('');
      document.body.innerHTML = NOVALIDATE;
      expect(page.form().hasAttribute('novalidate')).toBe(true);
      ready();
      vi.advanceTimersByTime(250);
      expect(page.form().hasAttribute('novalidate')).toBe(false);
    });

    it('does not start if it was destroyed before', async () => {
      const ready = comingIn();
      const page = installIn(NOVALIDATE);
      page.widget.destroy();
      const before = document.documentElement.outerHTML;
      ready();
      await ask(page.input());
      await expectNoRequest(page);
      expect(document.documentElement.outerHTML).toBe(before);
    });

    it('gives no warning if a key is set by then', async () => {
      const ready = comingIn();
      const page = installIn(FORM, { apiKey: '' });
      await wait(60_000);
      page.widget.set({ apiKey: 'test_public' });
      ready();
      await wait(1000);
      expect(page.warn).not.toHaveBeenCalled();
      await verify(page, JOE);
      expect(stateOf(page.input())).toBe('accepted');
    });
  });

  it('twice installs once', async () => {
    const page = installIn(FORM);
    const second = install({ apiKey: 'test_second', allow: { free: false } });
    expect(page.warn).toHaveBeenCalledTimes(1);
    const events = record(page.input());
    await verify(page, JOE, { free: true });
    expect(page.service.requests.map(({ parameters }) => parameters.api_key)).toEqual(['test_public']);
    expect(typesOf(events)).toEqual(['verifying', 'verified']);
    expect(stateOf(page.input())).toBe('accepted');
    expect(statuses()).toHaveLength(1);
    expect(second).toBe(page.widget);
  });

  it('again after destroy installs a new widget', async () => {
    const page = installIn(FORM);
    page.widget.destroy();
    const again = install({ apiKey: 'test_again', baseUrl: 'https://api.example' });
    expect(page.warn).not.toHaveBeenCalled();
    await verify(page, JOE);
    expect(page.service.last.parameters.api_key).toBe('test_again');
    // What was destroyed does not take down what came after it.
    page.widget.destroy();
    await verify(page, ANN);
    expect(install()).toBe(again);
    again.destroy();
    expect(statuses()).toEqual([]);
  });
});

describe('destroy', () => {
  const OWN = `<form name="signup" novalidate="">
    <label>E-mail <input type="email" name="email" class="own" aria-describedby="hint" aria-invalid="false"></label>
    <p id="hint">Hint</p><input type="email" name="second"><button>Go</button></form>`;

  const moments: [string, (page: PageUnderTest) => unknown][] = [
    ['before any contact', () => {}],
    ['after an input was entered', (page) => enter(page.input())],
    ['while waiting', (page) => type(page.input(), JOE)],
    [
      'while verifying',
      async (page) => {
        await ask(page.input());
      },
    ],
    ['after an acceptance', (page) => verify(page, JOE)],
    ['after a hint', (page) => verify(page, JOE, { did_you_mean: ANN })],
    ['after a rejection', (page) => verify(page, JOE, UNDELIVERABLE)],
    [
      'after rejections on two inputs',
      async (page) => {
        await verify(page, JOE, UNDELIVERABLE);
        await verify(page, ANN, UNDELIVERABLE, page.input('[name=second]'));
      },
    ],
    [
      'while a submission waits for the verdict',
      async (page) => {
        type(page.input(), JOE);
        submit(page.form());
        await settle();
        expect(customValidity(page.input())).not.toBe('');
      },
    ],
    [
      'after an error',
      async (page) => {
        await ask(page.input());
        await page.service.last.answer(429, '');
      },
    ],
  ];

  it.each(moments)('leaves the page as found: %s', async (_, live) => {
    openPage(OWN);
    const before = document.documentElement.outerHTML;
    const page = installIn(OWN, { resultField: 'result', blockOnRateLimit: true });
    expect(page.form().hasAttribute('novalidate')).toBe(false);
    await live(page);
    await settle();
    page.widget.destroy();
    expect(document.documentElement.outerHTML).toBe(before);
    for (const input of document.querySelectorAll('input')) expect(customValidity(input)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets the language and the results', async () => {
    const page = installIn(FORM, { locale: { invalid: 'Non.' } });
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusText(page.input())).toBe('Non.');
    page.widget.destroy();
    page.widget.set({ apiKey: 'test_public', baseUrl: 'https://api.example' });
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusText(page.input())).toBe(DEFAULTS.messages.invalid);
    expect(page.service.requests).toHaveLength(2);
  });

  it.each<[string, () => void]>([
    ['', () => {}],
    [
      ', even if that throws',
      () => {
        throw new Error('nothing to cancel');
      },
    ],
  ])('removes a captcha’s challenge once%s, and can start again', async (_, end) => {
    const cancel = vi.fn(end);
    const page = installIn(FORM, { captcha: Object.assign(() => 'token', { cancel }) });
    await verify(page, JOE);
    page.widget.destroy();
    expect(cancel).toHaveBeenCalledTimes(1);
    page.widget.destroy();
    expect(cancel).toHaveBeenCalledTimes(1);
    page.widget.set({ apiKey: 'test_public', baseUrl: 'https://api.example' });
    await verify(page, ANN, UNDELIVERABLE);
    expect(stateOf(page.input())).toBe('rejected');
  });

  it('aborts requests without an event', async () => {
    const page = installIn(FORM);
    const events = record(page.input());
    await ask(page.input());
    page.widget.destroy();
    expect(page.service.last.isAborted).toBe(true);
    await page.service.last.answer(200, resultOf(JOE));
    await wait(60_000);
    expect(typesOf(events)).toEqual(['verifying']);
  });

  it('leaves no listener behind', async () => {
    const page = installIn(FORM);
    await verify(page, JOE);
    page.widget.destroy();
    const before = document.documentElement.outerHTML;
    type(page.input(), ANN);
    leave(page.input());
    page.form().reset();
    window.dispatchEvent(new Event('pageshow'));
    await expectNoRequest(page, 1);
    expect(document.documentElement.outerHTML).toBe(before);
  });

  it('leaves no listener behind in a shadow root', async () => {
    const page = installIn('<div></div>');
    const root = page.input('div').attachShadow({ mode: 'open' });
    root.innerHTML = '<input type="email">';
    const input = root.querySelector('input') as HTMLInputElement;
    await verify(page, JOE, {}, input);
    page.widget.destroy();
    type(input, ANN);
    input.dispatchEvent(new Event('change', { bubbles: true }));
    await expectNoRequest(page, 1);
    expect(root.children).toHaveLength(1);
  });

  it('is final until a key is set again, and other options start nothing', async () => {
    const page = installIn(FORM, { method: 'POST' });
    page.widget.destroy();
    page.widget.set({ verifyAfterDelay: 100 });
    await ask(page.input());
    await expectNoRequest(page);
    expect(stateOf(page.input())).toBeNull();
    page.widget.set({ apiKey: 'test_again', baseUrl: 'https://api.example' });
    type(page.input(), ANN);
    await wait(100);
    expect(page.service.last).toMatchObject({
      init: { method: 'GET' },
      parameters: { api_key: 'test_again' },
    });
  });

  it('may be called twice, and within an event of the widget', async () => {
    const page = installIn(FORM);
    page.input().addEventListener('verifying', () => {
      page.widget.destroy();
      page.widget.destroy();
    });
    await ask(page.input());
    await expectNoRequest(page);
    expect(stateOf(page.input())).toBeNull();
    expect(statuses()).toEqual([]);
  });

  it('may be called from a listener of the verdict', async () => {
    const page = installIn(FORM);
    page.input().addEventListener('verified', () => page.widget.destroy());
    await verify(page, JOE, UNDELIVERABLE);
    await wait(5000);
    expect(stateOf(page.input())).toBeNull();
    expect(customValidity(page.input())).toBe('');
    expect(statuses()).toEqual([]);
  });
});

describe('verify()', () => {
  it('verifies the current value now, and returns a promise of the event’s detail', async () => {
    const page = installIn(FORM);
    const input = page.input();
    const events = record(input);
    input.value = JOE;
    const promise = page.widget.verify(input);
    await settle();
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE]);
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(await promise).toEqual(verdictIn(events));
    expect(await promise).toMatchObject({ accepted: false, verificationData: { status: 200 } });
    expect(stateOf(input)).toBe('rejected');
  });

  it('resolves with the failure if there is no verdict', async () => {
    const page = installIn(FORM);
    page.input().value = JOE;
    const promise = page.widget.verify(page.input());
    await settle();
    await page.service.last.answer(403, { message: 'Forbidden' });
    expect(await promise).toEqual({ status: 403, message: 'Forbidden' });
  });

  it('resolves at once with a remembered result, without a request', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    expect(await page.widget.verify(page.input())).toMatchObject({ accepted: false });
    page.input().value = 'joe';
    expect(await page.widget.verify(page.input())).toMatchObject({
      accepted: false,
      verificationData: { status: 0 },
    });
    expect(page.service.requests).toHaveLength(1);
  });

  it('sends one request, however often it is called', async () => {
    const page = installIn(FORM);
    type(page.input(), JOE);
    const promises = [page.widget.verify(page.input()), page.widget.verify(page.input())];
    leave(page.input());
    await settle();
    expect(page.service.requests).toHaveLength(1);
    await page.service.last.answer(200, resultOf(JOE));
    const [one, other] = await Promise.all(promises);
    expect(one).toMatchObject({ accepted: true });
    expect(other).toEqual(one);
  });

  it.each<[string, (page: PageUnderTest) => unknown]>([
    ['the visitor changes the value', (page) => type(page.input(), ANN)],
    ['the visitor empties the field', (page) => type(page.input(), '')],
    ['the form is reset', (page) => page.form().reset()],
    ['the widget is destroyed', (page) => page.widget.destroy()],
    ['the page is left', () => window.dispatchEvent(new Event('pagehide'))],
    [
      'a script changes the value',
      async (page) => {
        page.input().value = ANN;
        await page.service.last.answer(200, resultOf(JOE));
      },
    ],
  ])('resolves with null when %s meanwhile', async (_, happen) => {
    const page = installIn(FORM);
    page.input().value = JOE;
    let promised: unknown = 'nothing yet';
    void page.widget.verify(page.input()).then((detail) => (promised = detail));
    await settle();
    expect(promised).toBe('nothing yet');
    await happen(page);
    await wait(100);
    expect(promised).toBeNull();
  });

  it('resolves with null when there is nothing to verify', async () => {
    const page = installIn(FORM);
    expect(await page.widget.verify(page.input())).toBeNull();
    page.input().value = '  ';
    expect(await page.widget.verify(page.input())).toBeNull();
    page.input().value = JOE;
    page.input().addEventListener('verifying', (event) => event.preventDefault());
    expect(await page.widget.verify(page.input())).toBeNull();
    await expectNoRequest(page);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', '#email'],
    ['an object', {}],
    ['an element that is no input', 'element'],
  ])('resolves with null for %s, and throws nothing', async (_, given) => {
    const page = installIn(FORM);
    const target = given === 'element' ? document.body : given;
    expect(await page.widget.verify(target as HTMLInputElement)).toBeNull();
    expect(page.warn).not.toHaveBeenCalled();
  });

  it('resolves with null for whatever throws when it is read', async () => {
    const page = installIn(FORM);
    const fragile = new Proxy(page.input(), {
      get() {
        throw new Error('the page says no');
      },
    });
    expect(await page.widget.verify(fragile)).toBeNull();
  });

  it('resolves with null for an input that is not monitored, and without a key', async () => {
    const page = installIn('<input type="email" readonly>');
    page.input().value = JOE;
    expect(await page.widget.verify(page.input())).toBeNull();
    page.widget.destroy();
    const keyless = installIn(FORM, { apiKey: '' });
    keyless.input().value = JOE;
    expect(await keyless.widget.verify(keyless.input())).toBeNull();
    await expectNoRequest(keyless);
  });
});

describe('options take effect at once', () => {
  it('allow: forms a verdict again from its result, without a request', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const events = record(page.input());
    await verify(page, JOE, { free: true });
    page.widget.set({ allow: { free: false } });
    expect(stateOf(page.input())).toBe('rejected');
    expect(customValidity(page.input())).toBe('FREE');
    expect(verdictIn(events)).toMatchObject({ accepted: false, message: 'FREE' });
    page.widget.set({ allow: { free: true } });
    expect(stateOf(page.input())).toBe('accepted');
    expect(customValidity(page.input())).toBe('');
    expect(typesOf(events)).toEqual(['verifying', 'verified', 'verified', 'verified']);
    await expectNoRequest(page, 1);
  });

  it('allow: fires an event if only the message changes', async () => {
    const page = installIn(FORM, { messages: MESSAGES, allow: { free: false } });
    await verify(page, JOE, { free: true, role: true });
    const events = record(page.input());
    page.widget.set({ allow: { role: false } });
    page.widget.set({ allow: { free: 'warn' } });
    page.widget.set({ allow: {} });
    expect(events.map(({ detail }) => detail)).toMatchObject([
      { accepted: false, message: 'ROLE' },
      { accepted: true, message: 'FREE' },
      { accepted: true, message: '' },
    ]);
  });

  it('allow: fires no event if the verdict stays the same', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, { free: true });
    const events = record(page.input());
    page.widget.set({ allow: { role: false } });
    page.widget.set({ allow: { role: true } });
    expect(events).toEqual([]);
  });

  it('allow: fires no event for an address that a script has just replaced', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, { free: true });
    const events = record(page.input());
    page.input().value = 'jane@shop.example';
    page.widget.set({ allow: { free: false } });
    expect(events).toEqual([]);
    expect(stateOf(page.input())).toBeNull();
  });

  it('allow: applies to remembered results', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, { role: true });
    await verify(page, ANN);
    page.widget.set({ allow: { role: false } });
    expect(stateOf(page.input())).toBe('accepted');
    await ask(page.input());
    expect(statusText(page.input())).toBe('ROLE');
    expect(page.service.requests).toHaveLength(2);
  });

  it('allow: applies to a result that is on its way', async () => {
    const page = installIn(FORM);
    await ask(page.input());
    page.widget.set({ allow: { free: false } });
    expect(stateOf(page.input())).toBe('verifying');
    await page.service.last.answer(200, resultOf(JOE, { free: true }));
    expect(stateOf(page.input())).toBe('rejected');
    expect(page.service.requests).toHaveLength(1);
  });

  it('allow: is merged with the defaults, and not with earlier options', async () => {
    const page = installIn(FORM, { messages: MESSAGES, allow: { free: false } });
    await verify(page, JOE, { free: true });
    expect(stateOf(page.input())).toBe('rejected');
    page.widget.set({ allow: { role: false } });
    expect(stateOf(page.input())).toBe('accepted');
    await verify(page, ANN, { role: true });
    expect(stateOf(page.input())).toBe('rejected');
  });

  describe('allow: a list of which one address failed', () => {
    const MULTIPLE = '<form><input type="email" multiple></form>';

    async function answer(page: PageUnderTest) {
      await ask(page.input(), `${JOE}, ${ANN}`);
      await page.service.requests[0]?.answer(200, resultOf(JOE, { free: true }));
      await page.service.requests[1]?.answer(500, '');
    }

    it('has no verdict once both addresses are allowed', async () => {
      const page = installIn(MULTIPLE, { allow: { free: false } });
      await answer(page);
      expect(stateOf(page.input())).toBe('rejected');
      const events = record(page.input());
      page.widget.set({ allow: { free: 'warn' }, messages: { free: 'FREE' } });
      expect(stateOf(page.input())).toBe('error');
      expect(typesOf(events)).toEqual(['error']);
      expect(statusText(page.input())).toBe('');
    });

    it('is rejected once the other address is refused', async () => {
      const page = installIn(MULTIPLE);
      await answer(page);
      expect(stateOf(page.input())).toBe('error');
      const events = record(page.input());
      page.widget.set({ allow: { free: false } });
      expect(stateOf(page.input())).toBe('rejected');
      expect(typesOf(events)).toEqual(['verified']);
    });

    it('fires its error once, whatever else changes', async () => {
      const page = installIn(MULTIPLE);
      await answer(page);
      const events = record(page.input());
      page.widget.set({ allow: { role: false } });
      expect(typesOf(events)).toEqual([]);
    });
  });

  it('allow: forms no verdict for an input that was reset', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, { free: true });
    const events = record(page.input());
    page.form().reset();
    await wait(0);
    page.widget.set({ allow: { free: false } });
    expect(stateOf(page.input())).toBe(null);
    expect(typesOf(events)).toEqual([]);
  });

  it('style: changes the colour of a visible spinner', async () => {
    const page = installIn(FORM, { style: { loadingIconColor: 'rgb(9, 9, 9)' } });
    await ask(page.input());
    await wait(300);
    page.widget.set({ style: { loadingIconColor: 'rgb(1, 2, 3)' } });
    expect(spinnerIn(page.input())?.style.color).toBe('rgb(1, 2, 3)');
  });

  it('messages: replaces a visible message', async () => {
    const page = installIn(FORM);
    await ask(page.input());
    await wait(300);
    page.widget.set({ messages: MESSAGES });
    expect(statusText(page.input())).toBe('VERIFYING');
  });

  describe('locale: a visible rejection is shown', () => {
    const DE = { invalid: 'Diese Adresse gibt es wohl nicht.', free: 'Bitte eine geschäftliche Adresse.' };
    const OWN = { invalid: 'Unser Text.' };

    it.each<[string, GivenOptions[], string]>([
      ['in the language that came', [{ locale: DE }], DE.invalid],
      ['in the page’s own words, given before', [{ messages: OWN }, { locale: DE }], OWN.invalid],
      ['in the page’s own words, given after', [{ locale: DE }, { messages: OWN }], OWN.invalid],
      ['in the page’s own words, given with it', [{ locale: DE, messages: OWN }], OWN.invalid],
      [
        'in the language, where the page has given its own words up',
        [{ messages: OWN }, { locale: DE }, { messages: {} }],
        DE.invalid,
      ],
      ['in the language that came last', [{ locale: { invalid: 'Nein.' } }, { locale: DE }], DE.invalid],
    ])('%s', async (_, given, said) => {
      const page = installIn(FORM);
      await verify(page, JOE, UNDELIVERABLE);
      for (const options of given) page.widget.set(options);
      expect(page.input().validationMessage).toBe(said);
      expect(page.service.requests).toHaveLength(1);
    });

    it('in English if the language does not have this text', async () => {
      const page = installIn(FORM, { locale: { free: DE.free } });
      await verify(page, JOE, UNDELIVERABLE);
      expect(page.input().validationMessage).toBe(DEFAULTS.messages.invalid);
    });

    it('in the language that is set after a restart, which forgets the page’s own texts', async () => {
      const page = installIn(FORM, { locale: DE, messages: OWN });
      page.widget.destroy();
      page.widget.set({ apiKey: 'test_public', baseUrl: 'https://api.example', locale: { invalid: 'Non.' } });
      await verify(page, JOE, UNDELIVERABLE);
      expect(page.input().validationMessage).toBe('Non.');
      expect(page.warn).not.toHaveBeenCalled();
    });
  });

  it('inputSelector, ignoredForms, ignoredInputs: release inputs that are no longer monitored', async () => {
    const options: GivenOptions[] = [
      { inputSelector: '.other' },
      { ignoredForms: ['signup'] },
      { ignoredInputs: ['email'] },
    ];
    for (const option of options) {
      const page = installIn(FORM);
      await verify(page, JOE, UNDELIVERABLE);
      page.widget.set(option);
      expect(stateOf(page.input())).toBeNull();
      expect(customValidity(page.input())).toBe('');
      expect(statuses()).toEqual([]);
      page.widget.destroy();
    }
  });

  it('statusAppendTo: the status moves', async () => {
    const page = installIn(`${FORM}<p id="slot"></p>`);
    await verify(page, JOE, UNDELIVERABLE);
    page.widget.set({ statusAppendTo: '#slot' });
    expect(statusOf(page.input()).parentNode).toBe(document.querySelector('#slot'));
    expect(statuses()).toHaveLength(1);
  });

  it('statusAppendTo: its selector is looked up again for each input', () => {
    const page = installIn(`${FORM}<input type="email" id="second"><p class="slot" id="old"></p>`, {
      statusAppendTo: '.slot',
    });
    enter(page.input());
    expect(statusOf(page.input()).parentElement?.id).toBe('old');
    page.input('#old').className = '';
    document.body.insertAdjacentHTML('beforeend', '<p class="slot" id="new"></p>');
    enter(page.input('#second'));
    expect(statusOf(page.input('#second')).parentElement?.id).toBe('new');
  });

  it('verifyAfterDelay: applies to a field that waits', async () => {
    const page = installIn(FORM, { verifyAfterDelay: 60_000 });
    type(page.input(), JOE);
    await wait(1000);
    page.widget.set({ verifyAfterDelay: 100 });
    await wait(100);
    expect(page.service.requests).toHaveLength(1);
  });

  it('verifyOn: verifies a waiting field after the delay once that is allowed', async () => {
    const page = installIn(FORM, { verifyOn: 'blur' });
    type(page.input(), JOE);
    await wait(5000);
    page.widget.set({ verifyOn: 'input' });
    await wait(999);
    expect(page.service.requests).toHaveLength(0);
    await wait(1);
    expect(page.service.requests).toHaveLength(1);
  });

  it('verifyOn: stops the delay of a field that then waits to be left', async () => {
    const page = installIn(FORM);
    type(page.input(), JOE);
    await wait(500);
    page.widget.set({ verifyOn: 'blur' });
    await expectNoRequest(page);
    leave(page.input());
    await settle();
    expect(page.service.requests).toHaveLength(1);
  });

  it('blockOnRateLimit: blocks a visitor over the limit, and unblocks again', async () => {
    const page = installIn(FORM, { messages: { rateLimited: 'RATE LIMITED' } });
    await ask(page.input());
    await page.service.last.answer(429, '');
    expect(customValidity(page.input())).toBe('');
    page.widget.set({ blockOnRateLimit: true });
    expect([customValidity(page.input()), statusText(page.input())]).toEqual([
      'RATE LIMITED',
      'RATE LIMITED',
    ]);
    page.widget.set({ blockOnRateLimit: false });
    expect([customValidity(page.input()), statusText(page.input())]).toEqual(['', '']);
  });

  it('resultField: renames the hidden input of a verdict', async () => {
    const page = installIn(FORM);
    await verify(page, JOE);
    const names = () =>
      [...document.querySelectorAll<HTMLInputElement>('form input[type=hidden]')].map(({ name }) => name);
    expect(names()).toEqual([]);
    page.widget.set({ resultField: 'result' });
    expect(names()).toEqual(['result']);
    page.widget.set({ resultField: 'other' });
    expect(names()).toEqual(['other']);
    page.widget.set({ resultField: '' });
    expect(names()).toEqual([]);
  });

  it('captcha: applies to the next request', async () => {
    const page = installIn(`${FORM}<input id="token" value="of the element">`);
    await verify(page, JOE);
    page.widget.set({ captcha: '#token' });
    await verify(page, ANN);
    expect(page.service.last.parameters.captcha_response).toBe('of the element');
    page.widget.set({ captcha: '' });
    await verify(page, 'eve@shop.example');
    expect(page.service.last.parameters).not.toHaveProperty('captcha_response');
  });

  it('inputSelector, ignoredForms: remove novalidate from a form that now has a monitored input', () => {
    const page = installIn('<form name="signup" novalidate><input class="mail"></form>', {
      ignoredForms: ['signup'],
    });
    page.widget.set({ inputSelector: '.mail' });
    expect(page.form().hasAttribute('novalidate')).toBe(true);
    page.widget.set({ ignoredForms: [] });
    expect(page.form().hasAttribute('novalidate')).toBe(false);
    page.widget.set({ inputSelector: '.other' });
    expect(page.form().hasAttribute('novalidate')).toBe(true);
  });

  it('verificationTimeout, method, apiKey: apply to the next request', async () => {
    const page = installIn(FORM);
    await verify(page, JOE);
    page.widget.set({ verificationTimeout: 9, method: 'POST', apiKey: 'test_next' });
    await verify(page, ANN);
    expect(page.service.last.init.method).toBe('POST');
    expect(page.service.last.parameters).toMatchObject({ timeout: '9', api_key: 'test_next' });
  });
});

describe('a wrong value of the page', () => {
  it('gets one warning, however often it is given, and the rest applies', async () => {
    const page = installIn(FORM);
    const wrong = { verifyAfterDelay: 'soon', novel: 1, allow: { free: 'no' }, method: 'POST' };
    for (let times = 3; times--; ) page.widget.set(wrong as unknown as GivenOptions);
    const said = page.warn.mock.calls.map(([message]) => String(message));
    expect(said).toHaveLength(3);
    for (const part of ['verifyAfterDelay', '"soon"', 'novel', 'allow.free', '"no"']) {
      expect(said.join('\n')).toContain(part);
    }
    type(page.input(), JOE);
    await wait(1000);
    expect(page.service.last.init.method).toBe('POST');
  });

  it.each([[42], [Symbol('s')], [true], ['apiKey'], [null]])('gets a warning as options: %s', (given) => {
    const page = installIn(FORM);
    page.widget.set(given as never);
    expect(page.warn.mock.calls).toEqual([[expect.stringContaining('Expected an object')]]);
  });

  it('may be undefined, which counts as not given', () => {
    const page = installIn(FORM, { verifyAfterDelay: undefined } as unknown as GivenOptions);
    expect(page.warn).not.toHaveBeenCalled();
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    [
      'a getter that throws',
      {
        get allow() {
          throw new Error('no');
        },
      },
    ],
    [
      'a part whose getter throws',
      {
        allow: {
          get free() {
            throw new Error('no');
          },
        },
      },
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no');
          },
        },
      ),
    ],
    ['a selector that does not parse', { inputSelector: 'input[' }],
    ['a value that cannot be told as text', { method: Object.create(null) }],
    [
      'a name that every object seems to know',
      JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1}'),
    ],
  ])('may be %s, and the widget goes on', async (_, given) => {
    const page = installIn(FORM);
    expect(() => page.widget.set(given as GivenOptions)).not.toThrow();
    expect(page.warn).toHaveBeenCalled();
    expect('polluted' in {}).toBe(false);
    await verify(page, JOE);
    expect(stateOf(page.input())).toBe('accepted');
  });

  it('leaves the page’s own objects as they are', async () => {
    const given = Object.freeze({ allow: Object.freeze({ states: Object.freeze(['risky']) as never }) });
    const page = installIn(FORM, given);
    page.widget.set({ allow: { free: false } });
    expect(given).toEqual({ allow: { states: ['risky'] } });
  });
});

describe('overrides', () => {
  const OVERRIDES = `
    <form data-email-verify-verify-after-delay="300" data-email-verify-messages='{"invalid": "FORM", "free": "FORM FREE"}'>
      <input type="email" id="form">
      <input type="email" id="own" data-email-verify-verify-after-delay="50" data-email-verify-messages='{"invalid": "OWN"}'>
    </form>
    <input type="email" id="none">`;

  it.each([
    ['none', 1000],
    ['form', 300],
    ['own', 50],
  ])('the delay of #%s is %i ms, because the input overrides its form', async (id, delayMs) => {
    const page = installIn(OVERRIDES);
    type(page.input(`#${id}`), JOE);
    await wait(delayMs - 1);
    expect(page.service.requests).toHaveLength(0);
    await wait(1);
    expect(page.service.requests).toHaveLength(1);
  });

  it.each([
    ['none', 'INVALID', 'FREE'],
    ['form', 'FORM', 'FORM FREE'],
    ['own', 'OWN', 'FORM FREE'],
  ])('the texts of #%s are merged key by key', async (id, invalid, free) => {
    const page = installIn(OVERRIDES, { messages: MESSAGES, allow: { free: false } });
    const input = page.input(`#${id}`);
    await verify(page, JOE, UNDELIVERABLE, input);
    expect(statusText(input)).toBe(invalid);
    await verify(page, ANN, { free: true }, input);
    expect(statusText(input)).toBe(free);
  });

  it('allow: one form refuses what another accepts', async () => {
    const page = installIn(`<form data-email-verify-allow='{"free": false}'><input type="email" id="a"></form>
      <form><input type="email" id="b"></form>`);
    await verify(page, JOE, { free: true }, page.input('#a'));
    await ask(page.input('#b'));
    expect([stateOf(page.input('#a')), stateOf(page.input('#b'))]).toEqual(['rejected', 'accepted']);
  });

  it('verifyOn', async () => {
    const page = installIn('<input type="email" data-email-verify-verify-on="blur">');
    type(page.input(), JOE);
    await expectNoRequest(page);
  });

  it('formValidation, and so novalidate', async () => {
    const page = installIn(
      '<form novalidate data-email-verify-form-validation="false"><input type="email"></form>',
    );
    await verify(page, JOE, UNDELIVERABLE);
    expect(stateOf(page.input())).toBe('rejected');
    expect(customValidity(page.input())).toBe('');
    expect(page.form().hasAttribute('novalidate')).toBe(true);
  });

  it('statusAppendTo', () => {
    const page = installIn(
      '<p id="slot"></p><input type="email" data-email-verify-status-append-to="#slot">',
    );
    enter(page.input());
    expect(statusOf(page.input()).parentNode).toBe(document.querySelector('#slot'));
  });

  it('style', async () => {
    const page = installIn(
      `<input type="email" data-email-verify-style='{"loadingIconColor": "rgb(9, 8, 7)"}'>`,
    );
    await ask(page.input());
    await wait(300);
    expect(spinnerIn(page.input())?.style.color).toBe('rgb(9, 8, 7)');
  });

  it('are read each time the widget needs them', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    await verify(page, JOE, UNDELIVERABLE);
    page.input().setAttribute('data-email-verify-messages', '{"invalid": "NEW"}');
    await verify(page, ANN, UNDELIVERABLE);
    expect(statusText(page.input())).toBe('NEW');
  });

  describe.each(['input', 'form'] as const)('that the page changes on the %s after the verdict', (where) => {
    it('allow: stop a now forbidden address within 250 ms, with its event', async () => {
      const page = installIn(FORM, { messages: MESSAGES });
      const events = record(page.input());
      await verify(page, JOE, { free: true });
      page[where]().setAttribute('data-email-verify-allow', '{"free": false}');
      await wait(250);
      expect(stateOf(page.input())).toBe('rejected');
      expect([customValidity(page.input()), statusText(page.input())]).toEqual(['FREE', 'FREE']);
      expect(events.slice(1).map(({ detail }) => detail)).toEqual([
        expect.objectContaining({ accepted: true }),
        expect.objectContaining({ accepted: false, message: 'FREE' }),
      ]);
      await expectNoRequest(page, 1);
    });

    it('allow: fire no event if the verdict stays the same', async () => {
      const page = installIn(FORM);
      await verify(page, JOE, { free: true });
      const events = record(page.input());
      page[where]().setAttribute('data-email-verify-allow', '{"role": false}');
      await wait(1000);
      expect(events).toEqual([]);
    });

    it('messages: are shown within 250 ms', async () => {
      const page = installIn(FORM, { messages: MESSAGES });
      await verify(page, JOE, UNDELIVERABLE);
      page[where]().setAttribute('data-email-verify-messages', '{"invalid": "NEW"}');
      await wait(250);
      expect([customValidity(page.input()), statusText(page.input())]).toEqual(['NEW', 'NEW']);
    });
  });

  it('that are wrong get one warning with their name, and the default applies', async () => {
    const page = installIn('<input type="email" data-email-verify-verify-after-delay="soon">');
    type(page.input(), JOE);
    await wait(999);
    expect(page.service.requests).toHaveLength(0);
    await wait(1);
    expect(page.service.requests).toHaveLength(1);
    expect(page.warn).toHaveBeenCalledTimes(1);
    expect(page.warn.mock.calls[0]?.[0]).toMatch(/verifyAfterDelay.*"soon"/);
  });

  it('do not exist for options of the whole page', async () => {
    const page = installIn(
      '<input type="email" data-email-verify-api-key="stolen" data-email-verify-method="POST">',
    );
    type(page.input(), JOE);
    await wait(1000);
    expect(page.service.last.parameters.api_key).toBe('test_public');
    expect(page.service.last.init.method).toBe('GET');
  });
});
