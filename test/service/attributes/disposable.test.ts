import { describe, expect, it } from 'vitest';
import { isDisposable } from '../../../src/service/attributes/disposable.ts';
import { isFree } from '../../../src/service/attributes/free.ts';

describe('disposable', () => {
  it.each(['mailinator.com', 'yopmail.com', 'guerrillamail.com', 'a.b.mailinator.com'])('is %s', (domain) => {
    expect(isDisposable(domain)).toBe(true);
    expect(isFree(domain)).toBe(false);
  });

  it.each(
    'gmail.com hotmail.com icloud.com gmx.de proton.me company.example mailinator.com.company.example'.split(
      ' ',
    ),
  )('is not %s', (domain) => {
    expect(isDisposable(domain)).toBe(false);
  });

  it.each(
    'privaterelay.appleid.com icloud.com mozmail.com x.mozmail.com duck.com simplelogin.com simplelogin.co aleeas.com passmail.net anonaddy.com jane.anonaddy.me'.split(
      ' ',
    ),
  )('is not the relay %s', (domain) => {
    expect(isDisposable(domain)).toBe(false);
  });

  it('does not make a tenant answer for the suffix it is registered under', () => {
    expect(['shop.eu.org', 'shop.web.id', 'home.duckdns.org'].map(isDisposable)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

it.each(['gmail.com', 'yahoo.fr', 'gmx.de', 'outlook.de', 'hey.com'])('%s is free', (domain) => {
  expect(isFree(domain)).toBe(true);
});
