// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { part } from '../../../src/frameworks/shared/input-options.ts';
import { attributeReadings, DEFAULTS, OVERRIDES, readOption } from '../../../src/widget/options.ts';

describe('a component’s options', () => {
  it('become attributes of its input, or options of the page', () => {
    const captcha = () => 'token';
    expect(
      part({ apiKey: 'test_public', captcha, verifyOn: 'blur', allow: { free: false }, verifyAfterDelay: 0 }),
    ).toEqual({
      attributes: {
        'data-email-verify-field': '',
        'data-email-verify-verify-on': 'blur',
        'data-email-verify-allow': '{"free":false}',
        'data-email-verify-verify-after-delay': '0',
      },
      ofPage: { apiKey: 'test_public', captcha },
    });
  });

  it('that are undefined count as not given', () => {
    const { attributes } = part({ verifyOn: undefined!, allow: undefined! });
    expect(attributes).toEqual({ 'data-email-verify-field': '' });
  });

  it.each(OVERRIDES)('may include %s for one input, and the widget reads the same value', (name) => {
    const value = DEFAULTS[name as keyof typeof DEFAULTS];
    const { attributes, ofPage } = part({ [name]: value });
    expect(ofPage).toEqual({});
    const text = Object.values(attributes).find(Boolean)!;
    expect(readOption(name, attributeReadings(text), DEFAULTS, () => {})).toEqual(value);
  });
});
