// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { installEmailVerify, type Share, shareWidget } from '../../../src/frameworks/shared/shared-widget.ts';
import { install, type Widget } from '../../../src/widget/index.ts';

const present = () => Reflect.get(window, Symbol.for('email-verify-widget')) as Widget;
const shares: Share[] = [];
const share = (isPages?: boolean) => {
  const own = shareWidget(isPages);
  shares.push(own);
  return own;
};
/** Whatever is put off to the end of a task has been done. */
const afterwards = () => Promise.resolve();

let warn: ReturnType<typeof vi.spyOn>;
const warnings = () => warn.mock.calls.map(([message]: unknown[]) => message);

beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(async () => {
  for (const own of shares.splice(0)) own.release();
  await afterwards();
  expect(present()).toBeUndefined();
});

describe('the widget that components share', () => {
  it('is installed by the first with a key, and destroyed with the last', async () => {
    const [one, other] = [share(), share()];
    one.give({ resultField: 'result' });
    expect(present()).toBeUndefined();
    other.give({ apiKey: 'test_public' });
    const widget = present();
    expect(widget).toBeDefined();
    share().give({ apiKey: 'test_public' });
    expect(present()).toBe(widget);
    for (const own of shares.splice(1)) own.release();
    await afterwards();
    expect(present()).toBe(widget);
    one.release();
    await afterwards();
    expect(present()).toBeUndefined();
    expect(warnings()).toEqual([]);
  });

  it('stays when one view replaces another', async () => {
    const one = share();
    one.give({ apiKey: 'test_public' });
    const widget = present();
    one.release();
    share().give({ apiKey: 'test_public' });
    await afterwards();
    expect(present()).toBe(widget);
  });

  it('gets only changed options', () => {
    const one = share();
    one.give({ apiKey: 'test_public', ignoredForms: ['login'] });
    const set = vi.spyOn(present(), 'set');
    one.give({ apiKey: 'test_public', ignoredForms: ['login'], resultField: undefined! });
    one.give({ apiKey: 'test_public', ignoredForms: ['login', 'search'] });
    expect(set.mock.calls).toEqual([[{ ignoredForms: ['login', 'search'] }]]);
  });

  it('has the options of the first component, and warns once of another value', () => {
    const [one, other] = [share(), share()];
    const captcha = () => 'token';
    one.give({ apiKey: 'test_public', captcha });
    const set = vi.spyOn(present(), 'set');
    for (let again = 0; again < 2; again++) other.give({ apiKey: 'test_other', captcha: () => 'token' });
    expect(set).not.toHaveBeenCalled();
    expect(warnings()).toEqual([
      'email-verify-widget: option apiKey: Expected one value for the whole page, got two. The first applies.',
      'email-verify-widget: option captcha: Expected one value for the whole page, got two. The first applies.',
    ]);
  });

  it('is not installed while the key is empty, without a warning', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const one = share();
    one.give({ apiKey: '', resultField: 'result' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(present()).toBeUndefined();
    one.give({ apiKey: 'test_public', resultField: 'result' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(present()).toBeDefined();
    expect(warnings()).toEqual([]);
  });

  it('gets a key that becomes empty, and the key that comes next', () => {
    const one = share();
    one.give({ apiKey: 'test_public' });
    const widget = present();
    const set = vi.spyOn(widget, 'set');
    for (const apiKey of ['', '', 'test_next']) one.give({ apiKey });
    expect(set.mock.calls).toEqual([[{ apiKey: '' }], [{ apiKey: 'test_next' }]]);
    expect(present()).toBe(widget);
    expect(warnings()).toEqual([]);
  });

  it('takes the key of another component while the first one’s is empty', () => {
    const [one, other] = [share(), share()];
    one.give({ apiKey: '' });
    other.give({ apiKey: 'test_public' });
    const set = vi.spyOn(present(), 'set');
    one.give({ apiKey: '' });
    expect(set).not.toHaveBeenCalled();
    one.give({ apiKey: 'test_other' });
    expect(set).not.toHaveBeenCalled();
    expect(warnings()).toEqual([expect.stringContaining('option apiKey: Expected one value')]);
  });

  it('stays asleep while the page’s own key is empty, whatever key a component has', () => {
    const takeBack = installEmailVerify({ apiKey: '' });
    share().give({ apiKey: 'test_component' });
    expect(present()).toBeUndefined();
    expect(warnings()).toEqual([expect.stringContaining('option apiKey: Expected one value')]);
    takeBack();
  });

  it('accepts another value once the first component has gone', () => {
    const [one, other] = [share(), share()];
    one.give({ apiKey: 'test_public' });
    const set = vi.spyOn(present(), 'set');
    one.release();
    other.give({ apiKey: 'test_other' });
    expect(set.mock.calls).toEqual([[{ apiKey: 'test_other' }]]);
    expect(warnings()).toEqual([]);
  });

  it('prefers the page’s options to those of earlier and later components', () => {
    const component = share();
    component.give({ apiKey: 'test_component' });
    const set = vi.spyOn(present(), 'set');
    const takeBack = installEmailVerify({ apiKey: 'test_page' });
    component.give({ apiKey: 'test_component' });
    expect(set.mock.calls).toEqual([[{ apiKey: 'test_page' }]]);
    expect(warnings()).toEqual([
      expect.stringContaining("The page's applies"),
      expect.stringContaining('The first applies'),
    ]);
    takeBack();
  });

  it('does not change a widget that the page has installed, and warns if it has options', async () => {
    const widget = install({ apiKey: 'test_page' });
    const one = share();
    one.give({});
    expect(warnings()).toEqual([]);
    one.give({ apiKey: 'test_component' });
    expect(warnings()).toEqual([expect.stringContaining("The page's own ignores")]);
    one.release();
    await afterwards();
    expect(present()).toBe(widget);
    widget.destroy();
  });
});
