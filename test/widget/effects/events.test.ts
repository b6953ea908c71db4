// @vitest-environment happy-dom
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, FORM, installIn, JOE, type PageUnderTest, record, verify } from '../page-under-test.ts';
import { resultOf } from '../scripted-fetch.ts';

/** Where an event of a name is heard on its way, from the window down and up again. */
function listenAlongTheWay(name: string): string[] {
  const heard: string[] = [];
  const listening = new AbortController();
  onTestFinished(() => listening.abort());
  for (const [where, target] of Object.entries({ window, document, form: document.querySelector('form') })) {
    for (const capture of [true, false]) {
      target?.addEventListener(name, () => heard.push(`${where}${capture ? ' (capture)' : ''}`), {
        capture,
        signal: listening.signal,
      });
    }
  }
  return heard;
}

const DOWN = ['window (capture)', 'document (capture)', 'form (capture)'];

async function fail(page: PageUnderTest) {
  await ask(page.input());
  await page.service.last.answer(429, { message: 'Rate Limit Exceeded' });
}

describe('the event', () => {
  it('verifying bubbles, is composed, can be cancelled and says which address', async () => {
    const page = installIn(FORM);
    const [events, heard] = [record(page.input()), listenAlongTheWay('verifying')];
    await verify(page, JOE);
    expect(events[0]).toMatchObject({ type: 'verifying', detail: { email: JOE } });
    expect(events[0]?.event).toMatchObject({ bubbles: true, composed: true, cancelable: true });
    expect(events[0]?.event).toBeInstanceOf(CustomEvent);
    expect(heard).toEqual([...DOWN, 'form', 'document', 'window']);
  });

  it('verified bubbles and is composed', async () => {
    const page = installIn(FORM);
    const [events, heard] = [record(page.input()), listenAlongTheWay('verified')];
    await verify(page, JOE);
    expect(events[1]?.event).toMatchObject({ bubbles: true, composed: true, cancelable: false });
    expect(events[1]?.event).toBeInstanceOf(CustomEvent);
    expect(heard).toEqual([...DOWN, 'form', 'document', 'window']);
  });

  it('verified carries the body exactly as it arrived', async () => {
    const page = installIn(FORM);
    const events = record(page.input());
    const body = `${JSON.stringify(resultOf(JOE), null, 2)}\n`;
    await ask(page.input());
    await page.service.last.answer(200, body);
    expect(events[1]?.detail).toEqual({
      accepted: true,
      message: '',
      verificationData: { status: 200, body, proof: null },
    });
  });

  it('error does not bubble, so that it is not taken for an exception, but capture listeners get it', async () => {
    const page = installIn(FORM);
    const [events, heard] = [record(page.input()), listenAlongTheWay('error')];
    await fail(page);
    expect(events[1]).toMatchObject({
      type: 'error',
      detail: { status: 429, message: 'Rate Limit Exceeded' },
    });
    expect(events[1]?.event).toMatchObject({ bubbles: false, composed: true });
    expect(heard).toEqual(DOWN);
  });

  it('leaves the shadow root of an input', async () => {
    const page = installIn('<div id="host"></div>');
    const root = page.input('#host').attachShadow({ mode: 'open' });
    root.innerHTML = '<input type="email">';
    const input = root.querySelector('input') as HTMLInputElement;
    const heard = record(page.input('#host'));
    await verify(page, JOE, {}, input);
    expect(heard.map(({ type: name }) => name)).toEqual(['verifying', 'verified']);
  });

  it('has only its own properties in a page that has extended Object.prototype', async () => {
    const additions = { bubbles: true, cancelable: true, detail: 'x' };
    const page = installIn(FORM);
    const events = record(page.input());
    Object.assign(Object.prototype, additions);
    try {
      await fail(page);
    } finally {
      for (const name of Object.keys(additions)) delete (Object.prototype as Record<string, unknown>)[name];
    }
    expect(events[1]?.event).toMatchObject({ type: 'error', bubbles: false, cancelable: false });
  });
});
