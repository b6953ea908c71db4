// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import type { GivenOptions } from '../../src/widget/index.ts';
import {
  ANN,
  ask,
  customValidity,
  enter,
  expectNoRequest,
  FORM,
  installIn,
  JOE,
  leave,
  type PageUnderTest,
  pressEnter,
  record,
  spinnerIn,
  stateOf,
  statuses,
  statusOf,
  statusText,
  submit,
  suggestionIn,
  type,
  typesOf,
  verdictIn,
  verify,
  wait,
} from './page-under-test.ts';
import { resultOf, settle } from './scripted-fetch.ts';

const TWO = '<form><input type="email" name="a"><input type="email" name="b"></form>';
const UNDELIVERABLE = { state: 'undeliverable', reason: 'rejected_email' };
const MESSAGES = { verifying: 'VERIFYING', invalid: 'INVALID', rateLimited: 'RATE LIMITED', free: 'FREE' };

/** Nothing is known, and nothing to be seen of what was. */
function expectNothingKnown(input: HTMLInputElement) {
  expect(stateOf(input)).toBeNull();
  expectNothingSaid(input);
}

function expectNothingSaid(input: HTMLInputElement) {
  expect(statusText(input)).toBe('');
  expect(customValidity(input)).toBe('');
  expect(input.hasAttribute('aria-busy')).toBe(false);
  expect(input.hasAttribute('aria-invalid')).toBe(false);
}

describe('from keystroke to verdict', () => {
  it('waits for the end of typing, verifies and accepts', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const input = page.input();
    const events = record(input);

    type(input, JOE);
    expect(stateOf(input)).toBe('waiting');
    expectNothingSaid(input);

    await wait(1000);
    expect(page.service.last.email).toBe(JOE);
    expect(stateOf(input)).toBe('verifying');
    expect(input.getAttribute('aria-busy')).toBe('true');
    expect(customValidity(input)).toBe('');

    await wait(299);
    expect(statusText(input)).toBe('');
    await wait(1);
    expect(statusText(input)).toBe('VERIFYING');
    expect(spinnerIn(input)).not.toBeNull();

    const body = JSON.stringify(resultOf(JOE));
    await page.service.last.answer(200, body);
    expect(stateOf(input)).toBe('accepted');
    expectNothingSaid(input);
    expect(typesOf(events)).toEqual(['verifying', 'verified']);
    expect(events[1]?.detail).toEqual({
      accepted: true,
      message: '',
      verificationData: { status: 200, body, proof: null },
    });
  });

  it('is rejected with a message for everyone: status, validity, event, aria-invalid', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const input = page.input();
    const events = record(input);
    await verify(page, JOE, UNDELIVERABLE);
    expect(stateOf(input)).toBe('rejected');
    expect(statusText(input)).toBe('INVALID');
    expect(customValidity(input)).toBe('INVALID');
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(input.hasAttribute('aria-busy')).toBe(false);
    expect(events.at(-1)?.detail).toMatchObject({ accepted: false, message: 'INVALID' });
  });

  it('is accepted with a hint that does not block', async () => {
    const page = installIn(FORM, { messages: MESSAGES, allow: { free: 'warn' } });
    const input = page.input();
    const events = record(input);
    await verify(page, JOE, { free: true });
    expect(stateOf(input)).toBe('accepted');
    expect(statusText(input)).toBe('FREE');
    expect(customValidity(input)).toBe('');
    expect(input.hasAttribute('aria-invalid')).toBe(false);
    expect(events.at(-1)?.detail).toMatchObject({ accepted: true, message: 'FREE' });
  });

  it.each([
    ['a hint', { role: true }, 'accepted', ''],
    ['a suggestion', { did_you_mean: ANN }, 'accepted', ''],
    ['a rejection with a suggestion', { ...UNDELIVERABLE, did_you_mean: ANN }, 'rejected', null],
    ['no message', {}, 'accepted', null],
  ])(
    'has data-email-verify-hint only while an accepted address shows a hint: %s',
    async (_, attributes, state, hint) => {
      const page = installIn(FORM, { allow: { role: 'warn' } });
      const hinted = () => page.input().getAttribute('data-email-verify-hint');
      await verify(page, JOE, attributes);
      expect([stateOf(page.input()), hinted()]).toEqual([state, hint]);
      type(page.input(), `${JOE}x`);
      expect(hinted()).toBeNull();
    },
  );

  it('shows the verdict by the time the event fires', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const input = page.input();
    const heard: unknown[] = [];
    input.addEventListener('verified', () =>
      heard.push(stateOf(input), customValidity(input), statusText(input)),
    );
    await verify(page, JOE, UNDELIVERABLE);
    expect(heard).toEqual(['rejected', 'INVALID', 'INVALID']);
  });

  it('causes no layout before the frame that shows the status', async () => {
    const page = installIn(FORM);
    const look = vi.spyOn(Element.prototype, 'getBoundingClientRect');
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusText(page.input())).not.toBe('');
    expect(look).not.toHaveBeenCalled();
  });

  it('sends the key and the timeout of the options', async () => {
    const page = installIn(FORM, { apiKey: 'test_other', verificationTimeout: 7 });
    await ask(page.input());
    expect(page.service.last.parameters).toEqual({ email: JOE, api_key: 'test_other', timeout: '7' });
    expect(page.service.last.url.origin).toBe('https://api.example');
  });
});

describe('the time of the request', () => {
  /** Not a millisecond before. */
  async function expectAskedAfter(delayMs: number, { service }: Pick<PageUnderTest, 'service'>) {
    await wait(delayMs - 1);
    expect(service.requests).toHaveLength(0);
    await wait(1);
    expect(service.requests.map(({ email }) => email)).toEqual([JOE]);
  }

  /** Where the machine's clock jumps to, by how many milliseconds. */
  const JUMPS: [string, number][] = [
    ['ahead', 86_400_000],
    ['back', -86_400_000],
  ];

  it('is verifyAfterDelay after the last change', async () => {
    const page = installIn(FORM, { verifyAfterDelay: 700 });
    type(page.input(), 'joe@shop.exam');
    await wait(699);
    type(page.input(), JOE);
    await expectAskedAfter(700, page);
  });

  it.each(JUMPS)(
    'is no sooner and no later when the machine’s clock jumps %s in mid-typing',
    async (_, jumpMs) => {
      const page = installIn(FORM, { verifyAfterDelay: 700 });
      type(page.input(), 'joe@shop.exam');
      await wait(300);
      vi.setSystemTime(Date.now() + jumpMs);
      type(page.input(), JOE);
      await expectAskedAfter(700, page);
    },
  );

  it.each(JUMPS)(
    'is no sooner and no later when the machine’s clock jumps %s after the last key',
    async (_, jumpMs) => {
      const page = installIn(FORM, { verifyAfterDelay: 700 });
      type(page.input(), JOE);
      await wait(300);
      vi.setSystemTime(Date.now() + jumpMs);
      await expectAskedAfter(400, page);
    },
  );

  it('depends on the options at the end of typing', async () => {
    const page = installIn(FORM, { verifyAfterDelay: 700 });
    type(page.input(), 'joe@shop.exam');
    page.input().setAttribute('data-email-verify-verify-after-delay', '900');
    await wait(100);
    type(page.input(), JOE);
    await expectAskedAfter(900, page);

    type(page.input(), 'ann@shop.exam');
    page.input().setAttribute('data-email-verify-verify-on', 'blur');
    await wait(100);
    type(page.input(), ANN);
    await expectNoRequest(page, 1);
  });

  it.each<[string, (input: HTMLInputElement) => void]>([
    ['leaves the field', leave],
    ['leaves the field, of which there was no change event', (input) => leave(input, { changed: false })],
    [
      'lets the browser commit the change',
      (input) => input.dispatchEvent(new Event('change', { bubbles: true })),
    ],
    ['presses Enter', pressEnter],
    ['tries to submit', (input) => submit(input.form)],
  ])('is at once when the visitor %s, and only once', async (_, act) => {
    const page = installIn(FORM);
    type(page.input(), JOE);
    act(page.input());
    await settle();
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE]);
    expect(stateOf(page.input())).toBe('verifying');
    await wait(4000);
    expect(page.service.requests).toHaveLength(1);
  });

  it('does not come for text that was typed and removed', async () => {
    const page = installIn(FORM);
    type(page.input(), JOE);
    await wait(500);
    type(page.input(), '');
    await expectNoRequest(page);
    expectNothingKnown(page.input());
  });

  it.each<[string, (input: HTMLInputElement) => unknown]>([
    ['disabled', (input) => (input.disabled = true)],
    ['made read-only', (input) => (input.readOnly = true)],
    ['taken out of the page', (input) => input.remove()],
  ])('does not come for an input that the page has %s after typing', async (_, act) => {
    const page = installIn(FORM);
    const input = page.input();
    const events = record(input);
    // The first look, for a key, is over.
    await wait(1000);
    type(input, JOE);
    await wait(500);
    act(input);
    await expectNoRequest(page);
    expect(events).toEqual([]);
  });

  it('does not come for a script’s value in an input that was then removed', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await ask(input);
    input.value = ANN;
    input.remove();
    await page.service.last.answer(200, resultOf(JOE));
    await expectNoRequest(page, 1);
  });

  it('comes when an input that was disabled for a moment is submitted', async () => {
    const page = installIn(FORM);
    type(page.input(), JOE);
    page.input().disabled = true;
    await wait(1000);
    page.input().disabled = false;
    expect(submit(page.form()).defaultPrevented).toBe(true);
    await settle();
    expect(page.service.last.email).toBe(JOE);
  });

  it('does not come while Enter confirms the composition of an IME', async () => {
    const page = installIn(FORM);
    type(page.input(), JOE);
    pressEnter(page.input(), { isComposing: true });
    await wait(10);
    expect(page.service.requests).toHaveLength(0);
  });

  it('does not come again if only the spaces around the value change', async () => {
    const page = installIn('<form><input name="email"></form>', { inputSelector: '[name=email]' });
    const input = page.input();
    await verify(page, `  ${JOE} `, UNDELIVERABLE);
    expect(page.service.last.email).toBe(JOE);
    const events = record(input);
    for (const value of [JOE, ` ${JOE}  `]) {
      type(input, value);
      expect(stateOf(input)).toBe('rejected');
      leave(input);
      await expectNoRequest(page, 1);
    }
    expect(events).toEqual([]);
  });

  describe('with verifyOn "blur"', () => {
    it('comes when the visitor leaves the field, and not while typing', async () => {
      const page = installIn(FORM, { verifyOn: 'blur' });
      type(page.input(), JOE);
      await expectNoRequest(page);
      leave(page.input());
      await settle();
      expect(page.service.last.email).toBe(JOE);
    });

    it.each<[string, (input: HTMLInputElement) => void]>([
      ['Enter is pressed', pressEnter],
      ['a submission is tried', (input) => submit(input.form)],
    ])('comes when %s', async (_, act) => {
      const page = installIn(FORM, { verifyOn: 'blur' });
      type(page.input(), JOE);
      act(page.input());
      await settle();
      expect(page.service.last.email).toBe(JOE);
    });

    it('does nothing before that, with what is remembered or can be no address neither', async () => {
      const page = installIn(FORM, { verifyOn: 'blur' });
      const events = record(page.input());
      await verify(page, JOE, UNDELIVERABLE);
      events.length = 0;
      type(page.input(), 'joe');
      await wait(5000);
      type(page.input(), JOE);
      await wait(5000);
      expect(events).toEqual([]);
      expectNothingSaid(page.input());
      leave(page.input());
      await settle();
      expect(typesOf(events)).toEqual(['verified']);
    });
  });

  describe('with verifyOn "submit"', () => {
    it('comes when the visitor submits, and not when the visitor leaves the field', async () => {
      const page = installIn(FORM, { verifyOn: 'submit' });
      await ask(page.input());
      await expectNoRequest(page);
      submit(page.form());
      await settle();
      expect(page.service.last.email).toBe(JOE);
    });

    it('does nothing before that, with what is remembered or can be no address neither', async () => {
      const page = installIn(FORM);
      const events = record(page.input());
      await verify(page, JOE, UNDELIVERABLE);
      await verify(page, ANN);
      page.widget.set({ verifyOn: 'submit' });
      events.length = 0;
      for (const value of ['joe', JOE]) {
        type(page.input(), value);
        leave(page.input());
        await wait(5000);
        enter(page.input());
      }
      expect(events).toEqual([]);
      expectNothingSaid(page.input());
      submit(page.form());
      await settle();
      expect(typesOf(events)).toEqual(['verified']);
      expect(stateOf(page.input())).toBe('rejected');
    });

    it('comes when the visitor presses Enter outside a form', async () => {
      const page = installIn('<input type="email">', { verifyOn: 'submit' });
      await ask(page.input());
      await expectNoRequest(page);
      pressEnter(page.input());
      await settle();
      expect(page.service.last.email).toBe(JOE);
    });
  });
});

describe('text that cannot be an address', () => {
  it('is rejected without a request', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    const input = page.input();
    const events = record(input);
    type(input, 'joe@localhost');
    expect(stateOf(input)).toBe('waiting');
    await wait(1000);
    expect(stateOf(input)).toBe('rejected');
    expect(statusText(input)).toBe('INVALID');
    expect(typesOf(events)).toEqual(['verified']);
    const { accepted, message, verificationData } = verdictIn(events);
    expect([accepted, message, verificationData.status]).toEqual([false, 'INVALID', 0]);
    expect(JSON.parse(verificationData.body)).toMatchObject({
      email: 'joe@localhost',
      state: 'undeliverable',
      reason: 'invalid_email',
    });
    await expectNoRequest(page);
  });

  it.each([
    ['for which the browser has a message', 'joe'],
    ['which the browser accepts', 'joe@localhost'],
  ])('gets the page’s own text for it, %s', async (_, value) => {
    const page = installIn(FORM, { messages: { ...MESSAGES, malformed: 'MALFORMED' } });
    const events = record(page.input());
    await ask(page.input(), value);
    expect([statusText(page.input()), verdictIn(events).message]).toEqual(['MALFORMED', 'MALFORMED']);
    await verify(page, JOE, UNDELIVERABLE);
    expect(statusText(page.input())).toBe('INVALID');
  });

  it('is not reported during typing', async () => {
    const page = installIn(FORM, { messages: MESSAGES });
    for (const typed of ['j', 'jo', 'joe', 'joe@', 'joe@s']) {
      type(page.input(), typed);
      await wait(999);
      expectNothingSaid(page.input());
    }
  });

  it('is accepted if the page accepts undeliverable addresses', async () => {
    const page = installIn(FORM, { allow: { states: ['undeliverable'] } });
    await ask(page.input(), 'joe@localhost');
    expect(stateOf(page.input())).toBe('accepted');
  });
});

describe('an address with a remembered result', () => {
  it('gets its verdict and its event at the end of typing, without a request', async () => {
    const page = installIn(FORM);
    const input = page.input();
    const first = record(input);
    await verify(page, JOE, UNDELIVERABLE);
    const verdict = verdictIn(first);
    await verify(page, ANN);
    const events = record(input);
    type(input, JOE);
    await wait(999);
    expect([stateOf(input), events.length]).toEqual(['waiting', 0]);
    await wait(1);
    expect(stateOf(input)).toBe('rejected');
    expect(typesOf(events)).toEqual(['verified']);
    expect(verdictIn(events)).toEqual(verdict);
    await expectNoRequest(page, 2);
  });

  it('is remembered for every input', async () => {
    const page = installIn(TWO);
    const [a, b] = [page.input('[name=a]'), page.input('[name=b]')];
    await verify(page, JOE, UNDELIVERABLE, a);
    const events = record(b);
    await ask(b, 'joe@SHOP.EXAMPLE');
    expect([stateOf(a), stateOf(b)]).toEqual(['rejected', 'rejected']);
    expect(typesOf(events)).toEqual(['verified']);
    expect(page.service.requests).toHaveLength(1);
  });

  it('fires no event when the visitor only enters and leaves the field', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE, UNDELIVERABLE);
    const events = record(input);
    enter(input);
    leave(input, { changed: false });
    await expectNoRequest(page, 1);
    expect(events).toEqual([]);
    expect(stateOf(input)).toBe('rejected');
  });
});

describe('two inputs with the same new address', () => {
  async function askTwice() {
    const page = installIn(TWO);
    const [a, b] = [page.input('[name=a]'), page.input('[name=b]')];
    const events = { a: record(a), b: record(b) };
    type(a, JOE);
    leave(a);
    await ask(b);
    return { page, a, b, events };
  }

  it('share one request, each with its own events', async () => {
    const { page, a, b, events } = await askTwice();
    expect(page.service.requests).toHaveLength(1);
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect([stateOf(a), stateOf(b)]).toEqual(['rejected', 'rejected']);
    expect(typesOf(events.a)).toEqual(['verifying', 'verified']);
    expect(typesOf(events.b)).toEqual(['verifying', 'verified']);
  });

  it('share its failure', async () => {
    const { page, a, b, events } = await askTwice();
    await page.service.last.answer(500, { message: 'Trouble' });
    expect([stateOf(a), stateOf(b)]).toEqual(['error', 'error']);
    expect([events.a.at(-1)?.detail, events.b.at(-1)?.detail]).toEqual([
      { status: 500, message: 'Trouble' },
      { status: 500, message: 'Trouble' },
    ]);
  });

  it('keep the request while one of them needs it, and abort it with the last', async () => {
    const { page, a, b } = await askTwice();
    type(a, 'joe');
    expect(page.service.last.isAborted).toBe(false);
    expect(stateOf(b)).toBe('verifying');
    type(b, 'joe');
    expect(page.service.last.isAborted).toBe(true);
  });

  it('do not disturb each other', async () => {
    const { page, a, b } = await askTwice();
    type(a, ANN);
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect([stateOf(a), stateOf(b)]).toEqual(['waiting', 'rejected']);
    expect(customValidity(a)).toBe('');
  });
});

describe('a verdict applies only while the input has the verified value', () => {
  it('and a newer value cancels the older one’s request', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await ask(input);
    const first = page.service.last;
    const events = record(input);
    type(input, ANN);
    expect(first.isAborted).toBe(true);
    await first.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect([stateOf(input), events.length]).toEqual(['waiting', 0]);
    expectNothingSaid(input);
    await wait(1000);
    await page.service.last.answer(200, resultOf(ANN));
    expect(stateOf(input)).toBe('accepted');
  });

  it('in any order of the responses', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await ask(input);
    const first = page.service.last;
    await ask(input, ANN);
    await page.service.last.answer(200, resultOf(ANN, UNDELIVERABLE));
    await first.answer(200, resultOf(JOE));
    expect(stateOf(input)).toBe('rejected');
  });

  it('and not when a script has changed the value meanwhile', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await ask(input);
    const events = record(input);
    input.value = ANN;
    await page.service.requests[0]?.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(events.filter(({ type: name }) => name === 'verified')).toEqual([]);
    expect(stateOf(input)).not.toBe('rejected');
    expect(customValidity(input)).toBe('');
  });

  it('and ends when a script changes the value later', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE, UNDELIVERABLE);
    input.value = ANN;
    await wait(1000);
    expectNothingKnown(input);
  });

  it('and ends when a script has emptied the field', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    page.input().value = '';
    await wait(1000);
    expectNothingKnown(page.input());
    await expectNoRequest(page, 1);
  });
});

describe('any edit voids the verdict at once, before the delay', () => {
  it.each([
    ['a rejection', UNDELIVERABLE],
    ['an acceptance', {}],
    ['a hint', { did_you_mean: ANN }],
  ])('%s', async (_, attributes) => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE, attributes);
    type(input, `${JOE}s`);
    expect(stateOf(input)).toBe('waiting');
    expectNothingSaid(input);
  });

  it('also one that empties the field', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    type(page.input(), '');
    expectNothingKnown(page.input());
    leave(page.input());
    await expectNoRequest(page, 1);
    expectNothingKnown(page.input());
  });

  it('also one that is undone, and the verdict returns at the end of typing', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await verify(page, JOE, UNDELIVERABLE);
    type(input, `${JOE}s`);
    type(input, JOE);
    expectNothingSaid(input);
    await wait(1000);
    expect(stateOf(input)).toBe('rejected');
    expect(page.service.requests).toHaveLength(1);
  });
});

describe('every way out of verifying leaves no "verifying" behind', () => {
  const ways: [string, (page: PageUnderTest) => unknown][] = [
    ['a result', ({ service }) => service.last.answer(200, resultOf(JOE))],
    ['a result that is none', ({ service }) => service.last.answer(200, '<title>Log in</title>')],
    ['a 400', ({ service }) => service.last.answer(400, { message: 'x' })],
    ['a 429', ({ service }) => service.last.answer(429, { message: 'x' })],
    ['a 503', ({ service }) => service.last.answer(503, '')],
    ['no connection', ({ service }) => service.last.fail()],
    ['no answer', () => {}],
    [
      'a body that breaks off',
      async ({ service }) => {
        await service.last.answerWithoutBody(200);
        await service.last.fail();
      },
    ],
    ['an edit', (page) => type(page.input(), 'j')],
    ['an empty field', (page) => type(page.input(), '')],
    ['a reset', (page) => page.form().reset()],
    ['another selector', (page) => page.widget.set({ inputSelector: '.email' })],
    ['a name to be ignored', (page) => page.widget.set({ ignoredInputs: ['email'] })],
    ['the page being left', () => window.dispatchEvent(new Event('pagehide'))],
    ['destroy', (page) => page.widget.destroy()],
  ];

  it.each(ways)('%s', async (_, end) => {
    const page = installIn(FORM, { messages: { verifying: 'VERIFYING' } });
    const input = page.input();
    await ask(input);
    await wait(300);
    expect(statusText(input)).toBe('VERIFYING');
    await end(page);
    await wait(6000);
    expect(
      statuses()
        .map((status) => status.shadowRoot?.textContent)
        .join(''),
    ).not.toContain('VERIFYING');
    expect(document.querySelector('[part~=spinner]')).toBeNull();
    expect(customValidity(input)).not.toBe('VERIFYING');
    expect(input.hasAttribute('aria-busy')).toBe(false);
    expect(stateOf(input)).not.toBe('verifying');
  });
});

describe('without a verdict, the form can be submitted', () => {
  it.each<[string, number, (page: PageUnderTest) => unknown]>([
    ['a 402', 402, ({ service }) => service.last.answer(402, { message: 'x' })],
    ['a 429', 429, ({ service }) => service.last.answer(429, { message: 'Rate Limit Exceeded' })],
    ['a 500', 500, ({ service }) => service.last.answer(500, '')],
    ['an answer that is none', 200, ({ service }) => service.last.answer(200, '{"state":"fine"}')],
    ['no connection', 0, ({ service }) => service.last.fail()],
    ['no answer in time', 0, () => {}],
  ])('%s fires an error event, and shows and blocks nothing', async (_, status, end) => {
    const page = installIn(FORM);
    const input = page.input();
    await ask(input);
    const events = record(input);
    await end(page);
    await wait(5000);
    expect(typesOf(events)).toEqual(['error']);
    expect(events[0]?.detail).toEqual({ status, message: expect.stringMatching(/\S/) });
    expect(stateOf(input)).toBe('error');
    expectNothingSaid(input);
  });

  it('passes on the service’s message', async () => {
    const page = installIn(FORM);
    await ask(page.input());
    const events = record(page.input());
    await page.service.last.answer(429, { message: 'Rate Limit Exceeded' });
    expect(events[0]?.detail).toEqual({ status: 429, message: 'Rate Limit Exceeded' });
  });

  async function fail(page: PageUnderTest) {
    await ask(page.input());
    await page.service.last.answer(500, '');
  }

  it('does not repeat the request in a loop', async () => {
    const page = installIn(FORM);
    await fail(page);
    await expectNoRequest(page, 1);
    enter(page.input());
    leave(page.input(), { changed: false });
    await expectNoRequest(page, 1);
  });

  it('repeats the request when the visitor changes the field', async () => {
    const page = installIn(FORM);
    await fail(page);
    type(page.input(), `${JOE}s`);
    expect(stateOf(page.input())).toBe('waiting');
    type(page.input(), JOE);
    await wait(1000);
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE, JOE]);
  });

  it('repeats the request when the visitor submits again', async () => {
    const page = installIn(FORM);
    await fail(page);
    submit(page.form());
    await settle();
    expect(page.service.requests).toHaveLength(2);
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(stateOf(page.input())).toBe('rejected');
  });
});

describe('blockOnRateLimit', () => {
  async function limited() {
    const page = installIn(FORM, { blockOnRateLimit: true, messages: MESSAGES });
    const events = record(page.input());
    await ask(page.input());
    await page.service.last.answer(429, { message: 'Rate Limit Exceeded' });
    return { page, input: page.input(), events };
  }

  it('shows the message in status and validity, and fires the same event', async () => {
    const { input, events } = await limited();
    expect(statusText(input)).toBe('RATE LIMITED');
    expect(customValidity(input)).toBe('RATE LIMITED');
    expect(stateOf(input)).toBe('error');
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      detail: { status: 429, message: 'Rate Limit Exceeded' },
    });
  });

  it('sends one more request at every attempt to submit', async () => {
    const { page, input } = await limited();
    expect(submit(page.form()).defaultPrevented).toBe(true);
    await wait(300);
    expect(page.service.requests).toHaveLength(2);
    expect(statusText(input)).toBe('VERIFYING');
    await page.service.last.answer(429, { message: 'Rate Limit Exceeded' });
    expect(statusText(input)).toBe('RATE LIMITED');
    await expectNoRequest(page, 2);
    submit(page.form());
    await settle();
    await page.service.last.answer(200, resultOf(JOE));
    expect(stateOf(input)).toBe('accepted');
    expectNothingSaid(input);
  });

  it('ends with the next edit', async () => {
    const { input } = await limited();
    type(input, ANN);
    expectNothingSaid(input);
  });

  it('blocks only for a 429', async () => {
    const page = installIn(FORM, { blockOnRateLimit: true, messages: MESSAGES });
    await ask(page.input());
    await page.service.last.answer(503, { message: 'Maintenance' });
    expectNothingSaid(page.input());
  });
});

describe('the verifying event', () => {
  it('fires before the request, once for all tries', async () => {
    const page = installIn(FORM);
    const input = page.input();
    const known: number[] = [];
    input.addEventListener('verifying', () => known.push(page.service.requests.length));
    await ask(input);
    await page.service.last.answer(249, { message: 'Send again' });
    await wait(1000);
    expect(page.service.requests).toHaveLength(2);
    expect(known).toEqual([0]);
  });

  it('can be cancelled, and then nothing is sent, blocked or shown', async () => {
    const page = installIn(FORM);
    const input = page.input();
    const events = record(input);
    input.addEventListener('verifying', (event) => event.preventDefault());
    await ask(input);
    await expectNoRequest(page);
    expectNothingKnown(input);
    expect(typesOf(events)).toEqual(['verifying']);
    expect(submit(page.form()).defaultPrevented).toBe(false);
  });

  it('can be cancelled for one address, and the next is verified', async () => {
    const page = installIn(FORM);
    const input = page.input();
    input.addEventListener('verifying', (event) => {
      if ((event as CustomEvent).detail.email === JOE) event.preventDefault();
    });
    await ask(input);
    type(input, ANN);
    expect(stateOf(input)).toBe('waiting');
    leave(input);
    await settle();
    expect(page.service.requests.map(({ email }) => email)).toEqual([ANN]);
  });

  it('is not fired for remembered results or text that cannot be an address', async () => {
    const page = installIn(FORM);
    await verify(page, JOE);
    await ask(page.input(), 'joe');
    const events = record(page.input());
    await ask(page.input());
    expect(typesOf(events)).toEqual(['verified']);
  });
});

describe('a list of addresses', () => {
  const LIST = '<form><input type="email" name="emails" multiple></form>';

  /** Enters a list and answers each request by its address. */
  async function enterList(page: PageUnderTest, value: string, answers: Record<string, object>) {
    await ask(page.input(), value);
    for (const request of page.service.requests) {
      await request.answer(200, resultOf(request.email, answers[request.email]));
    }
  }

  it('counts as one value in an input of another type, for which browsers have no lists', async () => {
    const page = installIn('<form><input name="email" multiple></form>', { inputSelector: '[name=email]' });
    await ask(page.input(), `${JOE}, ${ANN}`);
    expect(stateOf(page.input())).toBe('rejected');
    await expectNoRequest(page);
  });

  it('keeps the other addresses when a suggestion for one is taken', async () => {
    const page = installIn(LIST);
    await enterList(page, `${JOE}, ${ANN}`, { [ANN]: { did_you_mean: 'anne@shop.example' } });
    suggestionIn(page.input())?.click();
    // The browser takes the space out of a list.
    expect(page.input().value).toBe(`${JOE},anne@shop.example`);
  });

  it('is verified address by address, each once, with one event for the field', async () => {
    const page = installIn(LIST);
    const events = record(page.input());
    await enterList(page, `${JOE}, ${ANN}, ${JOE}`, {});
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE, ANN]);
    expect(events.map(({ type: name, detail }) => [name, (detail as { email?: string }).email])).toEqual([
      ['verifying', JOE],
      ['verifying', ANN],
      ['verified', undefined],
    ]);
    expect(stateOf(page.input())).toBe('accepted');
  });

  it('is decided by the first rejected address, which the message names', async () => {
    const page = installIn(LIST, { messages: MESSAGES });
    const events = record(page.input());
    await enterList(page, `joe@a.example,joe@b.example,joe@c.example`, {
      // A hint decides nothing beside a rejection.
      'joe@a.example': { did_you_mean: ANN },
      'joe@b.example': UNDELIVERABLE,
      'joe@c.example': UNDELIVERABLE,
    });
    expect(stateOf(page.input())).toBe('rejected');
    const { message, verificationData } = verdictIn(events);
    expect(message).toContain('INVALID');
    expect(message).toContain('joe@b.example');
    expect(message).not.toContain('joe@a.example');
    expect(message).not.toContain('joe@c.example');
    expect(customValidity(page.input())).toBe(message);
    expect(statusText(page.input())).toBe(message);
    expect(JSON.parse(verificationData.body).email).toBe('joe@b.example');
  });

  it('sends no request while a part cannot be an address', async () => {
    const page = installIn(LIST, { messages: MESSAGES });
    type(page.input(), `${JOE}, ann`);
    leave(page.input());
    await expectNoRequest(page);
    expect(stateOf(page.input())).toBe('rejected');
    // The browser's own sentence; happy-dom has one for everything.
    expect(statusText(page.input())).toBe('Constraints not satisfied');
  });

  it('ignores a part that cannot be an address if undeliverable addresses are allowed', async () => {
    const page = installIn(LIST, { allow: { states: ['deliverable', 'undeliverable'], role: false } });
    const events = record(page.input());
    await ask(page.input(), `nobody,${JOE}`);
    await page.service.last.answer(200, resultOf(JOE, { role: true }));
    expect(verdictIn(events)).toMatchObject({ accepted: false, message: expect.stringContaining(JOE) });
  });

  it('sends requests only for addresses without a remembered result', async () => {
    const page = installIn(LIST);
    await enterList(page, JOE, {});
    await enterList(page, `${JOE}, ${ANN}`, {});
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE, ANN]);
  });

  it('blocks nothing when one address failed and no other is rejected', async () => {
    const page = installIn(LIST);
    const events = record(page.input());
    await ask(page.input(), `${JOE}, ${ANN}`);
    await page.service.requests[0]?.answer(500, '');
    await page.service.requests[1]?.answer(200, resultOf(ANN));
    expect(stateOf(page.input())).toBe('error');
    expect(typesOf(events).slice(2)).toEqual(['error']);
    expect(customValidity(page.input())).toBe('');
  });
});

describe('a reset of the form', () => {
  it('returns its inputs to the state unjudged', async () => {
    const page = installIn('<form><input type="email" value="was@shop.example"></form>');
    const input = page.input();
    await verify(page, JOE, UNDELIVERABLE);
    page.form().reset();
    await wait(10);
    expect(input.value).toBe('was@shop.example');
    expectNothingKnown(input);
    await expectNoRequest(page, 1);
  });

  it('reports nothing for a running verification', async () => {
    const page = installIn(FORM);
    const input = page.input();
    await ask(input);
    const events = record(input);
    page.form().reset();
    await wait(10);
    expect(page.service.last.isAborted).toBe(true);
    await page.service.last.answer(200, resultOf(JOE, UNDELIVERABLE));
    expect(events).toEqual([]);
    expectNothingKnown(input);
  });

  it('that the page prevents changes nothing', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    page.form().addEventListener('reset', (event) => event.preventDefault());
    page.form().dispatchEvent(new Event('reset', { bubbles: true, cancelable: true }));
    await wait(10);
    expect(stateOf(page.input())).toBe('rejected');
  });

  it('of another form changes nothing', async () => {
    const page = installIn(`${FORM}<form id="other"><input name="q"></form>`);
    await verify(page, JOE, UNDELIVERABLE);
    page.form('#other').reset();
    await wait(10);
    expect(stateOf(page.input())).toBe('rejected');
  });
});

describe('a value that the visitor has not typed', () => {
  const PREFILLED = `<form><input type="email" value="${JOE}"></form>`;

  it('changes nothing before the first contact', async () => {
    const page = installIn(PREFILLED);
    const before = document.documentElement.outerHTML;
    await expectNoRequest(page);
    expect(document.documentElement.outerHTML).toBe(before);
  });

  it('is verified at the latest when a submission is tried', async () => {
    const page = installIn(PREFILLED);
    const event = submit(page.form());
    await settle();
    expect(event.defaultPrevented).toBe(true);
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE]);
    await page.service.last.answer(200, resultOf(JOE));
    expect(submit(page.form()).defaultPrevented).toBe(false);
  });

  it('does not hold the submission if it is empty', async () => {
    const page = installIn(FORM);
    expect(submit(page.form()).defaultPrevented).toBe(false);
    await expectNoRequest(page);
    expect(statuses()).toEqual([]);
  });
});

it('verifies a value that was set without an event when the visitor leaves the field', async () => {
  const page = installIn(FORM);
  enter(page.input());
  page.input().value = JOE;
  leave(page.input(), { changed: false });
  await settle();
  expect(page.service.requests.map(({ email }) => email)).toEqual([JOE]);
});

describe('a page that the visitor leaves', () => {
  async function leavePage() {
    const page = installIn(FORM);
    const events = record(page.input());
    await ask(page.input());
    events.length = 0;
    return { page, events };
  }

  it('aborts its requests and reports no failure for them', async () => {
    const { page, events } = await leavePage();
    window.dispatchEvent(new Event('pagehide'));
    expect(page.service.last.isAborted).toBe(true);
    await page.service.last.fail();
    await wait(60_000);
    expect(typesOf(events)).toEqual([]);
  });

  it('reports no failure when the browser fails the request shortly before', async () => {
    const { page, events } = await leavePage();
    await page.service.last.fail();
    await wait(50);
    window.dispatchEvent(new Event('pagehide'));
    await wait(60_000);
    expect(typesOf(events)).toEqual([]);
  });

  it('repeats the request when the visitor comes back', async () => {
    const { page } = await leavePage();
    window.dispatchEvent(new Event('pagehide'));
    window.dispatchEvent(new Event('pageshow'));
    await wait(1000);
    expect(page.service.requests).toHaveLength(2);
    await page.service.last.answer(200, resultOf(JOE));
    expect(stateOf(page.input())).toBe('accepted');
  });

  it('drops the verdict if the value differs when the visitor comes back', async () => {
    const page = installIn(FORM);
    await verify(page, JOE, UNDELIVERABLE);
    window.dispatchEvent(new Event('pagehide'));
    page.input().value = ANN;
    window.dispatchEvent(new Event('pageshow'));
    expect(stateOf(page.input())).not.toBe('rejected');
    expect(customValidity(page.input())).toBe('');
  });
});

describe('a captcha', () => {
  it('is called with the input, again for every request', async () => {
    const asked: HTMLInputElement[] = [];
    const page = installIn(FORM, { captcha: (input) => `token ${asked.push(input)}` });
    await verify(page, JOE);
    await verify(page, ANN);
    expect(asked).toEqual([page.input(), page.input()]);
    expect(page.service.requests.map(({ parameters }) => parameters.captcha_response)).toEqual([
      'token 1',
      'token 2',
    ]);
  });

  it.each<[string, (page: PageUnderTest) => GivenOptions['captcha']]>([
    ['a function', (page) => () => page.input('#token').value],
    ['an element', () => '#token'],
  ])('gives each try its own token: %s', async (_, captchaIn) => {
    const page = installIn(`${FORM}<input id="token" value="first">`);
    page.widget.set({ captcha: captchaIn(page) } as GivenOptions);
    await ask(page.input());
    page.input('#token').value = 'second';
    await page.service.last.answer(249, {});
    await wait(1000);
    expect(page.service.requests.map(({ parameters }) => parameters.captcha_response)).toEqual([
      'first',
      'second',
    ]);
  });

  it('can be the value of an element, which may get it later', async () => {
    const page = installIn(`${FORM}<textarea id="token"></textarea>`, { captcha: '#token' });
    await ask(page.input());
    await wait(4000);
    expect(page.service.requests).toEqual([]);
    page.input('#token').value = 'solved';
    await wait(500);
    expect(page.service.last.parameters.captcha_response).toBe('solved');
  });

  it.each<[string, string | (() => string)]>([
    [
      'fails',
      () => {
        throw new Error('not loaded');
      },
    ],
    ['gives nothing', () => ''],
    ['is not in the page', '#nowhere'],
  ])('that %s is an error, and the form can be submitted', async (_, captcha) => {
    const page = installIn(FORM, { captcha });
    const events = record(page.input());
    await ask(page.input());
    await wait(5000);
    expect(typesOf(events)).toEqual(['verifying', 'error']);
    expect(events[1]?.detail).toEqual({ status: 0, message: expect.stringMatching(/\S/) });
    expect(page.service.requests).toHaveLength(0);
    expectNothingSaid(page.input());
  });
});

it('has its status before the first message, so that screen readers announce it', () => {
  const page = installIn(FORM);
  enter(page.input());
  expect(statusOf(page.input()).getAttribute('role')).toBe('status');
  expect(statusText(page.input())).toBe('');
});

it('gets its status in a later task than the visitor’s click or key', async () => {
  const page = installIn(FORM);
  page.input().dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  expect(statuses()).toEqual([]);
  await wait(0);
  expect(statusOf(page.input())).toBe(statuses()[0]);
});

it('gets no status if the widget is destroyed before that', async () => {
  const page = installIn(FORM);
  page.input().dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  page.widget.destroy();
  const heard = vi.spyOn(page.input(), 'addEventListener');
  await wait(0);
  expect(heard).not.toHaveBeenCalled();
  expect(statuses()).toEqual([]);
});

it('checks whether an input is monitored not at each key, but before the request', async () => {
  const page = installIn(FORM);
  type(page.input(), 'joe@shop.exam');
  const looked = vi.spyOn(page.input(), 'matches');
  page.input().readOnly = true;
  page.input().value = JOE;
  page.input().dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  expect(looked).not.toHaveBeenCalled();
  await expectNoRequest(page);
  expect(stateOf(page.input())).toBeNull();
});

describe('a prefilled address', () => {
  it('is not verified when the visitor enters and leaves its field', async () => {
    const page = installIn(`<form><input type="email" value="${JOE}"></form>`);
    enter(page.input());
    leave(page.input(), { changed: false });
    await expectNoRequest(page);
    expect(stateOf(page.input())).toBe(null);
  });
});

describe('a value that a script sets', () => {
  it('is verified at once during the verification of another', async () => {
    const page = installIn(FORM);
    await ask(page.input());
    page.input().value = ANN;
    enter(page.input());
    await settle();
    expect(page.service.requests.map(({ email }) => email)).toEqual([JOE, ANN]);
  });

  it('is the one that verify() returns during the verification of another', async () => {
    const page = installIn(FORM);
    await ask(page.input());
    page.input().value = ANN;
    const promised = page.widget.verify(page.input());
    await settle();
    expect(page.service.last.email).toBe(ANN);
    await page.service.last.answer(200, resultOf(ANN));
    expect(await promised).toMatchObject({ accepted: true });
  });

  describe.each(['input', 'blur', 'submit'] as const)('again and again, with verifyOn "%s",', (verifyOn) => {
    /** A page whose script has changed the address that is being verified, once. */
    async function changedOnce() {
      const page = installIn(FORM, { verifyOn, verifyAfterDelay: 700 });
      type(page.input(), JOE);
      submit(page.form());
      await settle();
      page.input().value = 'first@shop.example';
      await wait(250);
      return { ...page, asked: () => page.service.requests.map(({ email }) => email) };
    }

    it('is verified at once the first time, and after verifyAfterDelay the second time', async () => {
      const page = await changedOnce();
      expect(page.asked()).toEqual([JOE, 'first@shop.example']);
      page.input().value = 'second@shop.example';
      // Noticed at the next look.
      await wait(250 + 699);
      expect(page.asked()).toHaveLength(2);
      expect(stateOf(page.input())).toBe('waiting');
      await wait(1);
      expect(page.asked()).toEqual([JOE, 'first@shop.example', 'second@shop.example']);
      await page.service.last.answer(200, resultOf('second@shop.example'));
      expect(stateOf(page.input())).toBe('accepted');
    });

    it('is verified when the script has stopped', async () => {
      const page = await changedOnce();
      for (let turn = 1; turn <= 4; turn++) {
        page.input().value = `turn-${turn}@shop.example`;
        await wait(250);
      }
      expect(page.asked()).toHaveLength(2);
      await wait(700);
      expect(page.asked().slice(2)).toEqual(['turn-4@shop.example']);
    });

    it('is verified at once when the visitor submits', async () => {
      const page = await changedOnce();
      page.input().value = 'second@shop.example';
      await wait(250);
      submit(page.form());
      await settle();
      expect(page.asked().slice(2)).toEqual(['second@shop.example']);
    });

    it('is verified at once again after an edit of the visitor', async () => {
      const page = await changedOnce();
      type(page.input(), ANN);
      submit(page.form());
      await settle();
      page.input().value = 'anew@shop.example';
      await wait(250);
      expect(page.asked().slice(2)).toEqual([ANN, 'anew@shop.example']);
    });

    it('is verified at once again after a verdict', async () => {
      const page = await changedOnce();
      await page.service.last.answer(200, resultOf('first@shop.example'));
      expect(stateOf(page.input())).toBe('accepted');
      type(page.input(), ANN);
      submit(page.form());
      await settle();
      page.input().value = 'anew@shop.example';
      await wait(250);
      expect(page.asked().slice(2)).toEqual([ANN, 'anew@shop.example']);
    });
  });
});

it('fires no second event for an accepted address at a submission', async () => {
  const page = installIn(FORM);
  await verify(page, JOE);
  const events = record(page.input());
  page.form().querySelector('button')?.click();
  submit(page.form());
  expect(typesOf(events)).toEqual([]);
});

it('keeps an accepted address accepted when the visitor leaves the page', async () => {
  const page = installIn(FORM);
  await verify(page, JOE);
  const events = record(page.input());
  window.dispatchEvent(new Event('pagehide'));
  expect(stateOf(page.input())).toBe('accepted');
  window.dispatchEvent(new Event('pageshow'));
  expect(typesOf(events)).toEqual([]);
});

it('is released with its view if it was only focused', async () => {
  const page = installIn(FORM);
  enter(page.input());
  expect(statuses()).toHaveLength(1);
  page.form().remove();
  await wait(250);
  expect(statuses()).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['waited for', 500],
  ['verified', 1500],
])('leaves nothing behind when its input leaves the page while its first address is %s', async (_, ms) => {
  const page = installIn(FORM);
  const input = page.input();
  // Past whatever looks at the page in its first moments only.
  await wait(1000);
  type(input, JOE);
  await wait(ms);
  const events = record(input);
  page.form().remove();
  await wait(250);
  expect(statuses()).toHaveLength(0);
  expect(page.service.requests.every(({ isAborted }) => isAborted)).toBe(true);
  expect(stateOf(input)).toBeNull();
  await wait(10_000);
  expect(typesOf(events)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

describe('a list', () => {
  const MULTIPLE = '<form><input type="email" multiple></form>';

  it('of only commas is not an address', async () => {
    const page = installIn(MULTIPLE);
    type(page.input(), ' , ');
    leave(page.input());
    expect(stateOf(page.input())).toBe(null);
    expect(await page.widget.verify(page.input())).toBe(null);
  });

  it('of accepted addresses shows the first hint', async () => {
    const page = installIn(MULTIPLE, { allow: { role: 'warn' }, messages: { role: 'ROLE' } });
    await ask(page.input(), `${JOE}, ${ANN}`);
    await page.service.requests[0]?.answer(200, resultOf(JOE));
    await page.service.requests[1]?.answer(200, resultOf(ANN, { role: true }));
    expect(statusText(page.input())).toBe(`${ANN}: ROLE`);
  });
});

it('sets a suggestion as if typed: input leaves a shadow root, change does not', async () => {
  const page = installIn(FORM);
  await verify(page, JOE, { did_you_mean: ANN });
  const seen: unknown[] = [];
  for (const name of ['input', 'change']) {
    page.input().addEventListener(name, ({ bubbles, composed }) => seen.push([name, bubbles, composed]));
  }
  suggestionIn(page.input())?.click();
  expect(seen).toEqual([
    ['input', true, true],
    ['change', true, false],
  ]);
});
