import { describe, expect, it, onTestFinished } from 'vitest';
import { isDisposable } from '../../../src/service/attributes/disposable.ts';
import { isFree } from '../../../src/service/attributes/free.ts';
import { DISPOSABLE_DOMAINS } from '../../../src/service/attributes/lists.ts';

/** The list changes with every release: what must hold of any is tried with names of our own in it. */
function list(...domains: string[]): void {
  const listed = DISPOSABLE_DOMAINS as Set<string>;
  const added = domains.filter((domain) => !listed.has(domain));
  for (const domain of added) listed.add(domain);
  onTestFinished(() => {
    for (const domain of added) listed.delete(domain);
  });
}

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

  it('is no relay and nothing under one, though it be listed', () => {
    list('mozmail.com', 'x.mozmail.com', 'fastmail.fm', 'notmozmail.com', 'mozmail.com.company.example');
    expect(['mozmail.com', 'x.mozmail.com', 'fastmail.fm'].map(isDisposable)).toEqual([false, false, false]);
    expect(['notmozmail.com', 'mozmail.com.company.example'].map(isDisposable)).toEqual([true, true]);
  });

  it('is nothing that anybody can register under, though it be listed', () => {
    list('co.uk');
    expect(['co.uk', 'company.co.uk'].map(isDisposable)).toEqual([false, false]);
  });

  it('is whatever lies under a listed domain, and nothing above or beside it', () => {
    list('box.company.example');
    expect(['box.', 'a.box.', 'a.b.box.'].map((host) => isDisposable(`${host}company.example`))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['', 'a.', 'abox.', 'box.a.'].map((host) => isDisposable(`${host}company.example`))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it.each(['localhost', '192.0.2.1', ''])('is not "%s", which nobody registered', (domain) => {
    expect(isDisposable(domain)).toBe(false);
  });

  it('takes a suffix that is on the list by its word', () => {
    expect(isDisposable('3utilities.com')).toBe(true);
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
