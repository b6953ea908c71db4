// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import de from '../../../src/locales/de.ts';
import fr from '../../../src/locales/fr.ts';
import { giveLocale } from '../../../src/locales/page/command.ts';
import { replaceQueue } from '../../../src/widget/commands.ts';

const scope = window as unknown as Record<string, unknown>;

beforeEach(() => {
  for (const name of ['emailVerify', 'checkMail', 'EmailVerifyObject']) delete scope[name];
  document.documentElement.lang = 'de';
});

/** What the widget is told when it comes. */
function heard(name = 'emailVerify'): unknown[][] {
  const command = vi.fn();
  replaceQueue(scope, name, command);
  return command.mock.calls;
}

describe('a locale’s script', () => {
  it('gives the texts to a loaded widget', () => {
    const command = vi.fn();
    scope.emailVerify = command;
    giveLocale({ de });
    expect(command.mock.calls).toEqual([['locale', de]]);
  });

  it('queues the texts for a widget that has not loaded', () => {
    giveLocale({ de });
    expect(heard()).toEqual([['locale', de]]);
  });

  it('joins the page’s queue, before and after it exists', () => {
    giveLocale({ de });
    const pagesOwn = scope.emailVerify as (...parameters: unknown[]) => void;
    pagesOwn('apiKey', 'test_public_key');
    giveLocale({ de });
    expect(heard()).toEqual([
      ['locale', de],
      ['apiKey', 'test_public_key'],
      ['locale', de],
    ]);
  });

  it('finds the function under the page’s name for it', () => {
    scope.EmailVerifyObject = 'checkMail';
    giveLocale({ de });
    expect(scope.emailVerify).toBeUndefined();
    expect(heard('checkMail')).toEqual([['locale', de]]);
  });

  it('ignores elements with these names', () => {
    scope.EmailVerifyObject = document.createElement('p');
    scope.emailVerify = document.createElement('p');
    giveLocale({ de });
    expect(heard()).toEqual([['locale', de]]);
  });

  it('gives the texts in the document’s language', () => {
    giveLocale({ fr, de });
    expect(heard()).toEqual([['locale', de]]);
  });

  it.each(['en', 'it', ''])('does nothing in a page in "%s"', (lang) => {
    document.documentElement.lang = lang;
    giveLocale({ de });
    giveLocale({ fr });
    expect(scope).not.toHaveProperty('emailVerify');
  });
});
