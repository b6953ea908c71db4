import { describe, expect, it } from 'vitest';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';

const published = loadPublishedLists();
const facts = createFacts(published);
const { isDisposable, isFree } = facts;

/** The published list changes with every release: a rule that holds for any list is tested with names of our own. */
const withListed = (...domains: string[]) =>
  createFacts({ ...published, disposableDomains: new Set([...published.disposableDomains, ...domains]) });

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

  it('does not flag a relay domain or its subdomains, even if listed', () => {
    const { isDisposable } = withListed(
      'mozmail.com',
      'x.mozmail.com',
      'fastmail.fm',
      'notmozmail.com',
      'mozmail.com.company.example',
    );
    expect(['mozmail.com', 'x.mozmail.com', 'fastmail.fm'].map(isDisposable)).toEqual([false, false, false]);
    expect(['notmozmail.com', 'mozmail.com.company.example'].map(isDisposable)).toEqual([true, true]);
  });

  it('does not flag a public suffix, even if listed', () => {
    const { isDisposable } = withListed('co.uk');
    expect(['co.uk', 'company.co.uk'].map(isDisposable)).toEqual([false, false]);
    expect(withListed('uk').isDisposable('co.uk')).toBe(false);
  });

  it('includes subdomains of a listed domain, and no parent or sibling', () => {
    const { isDisposable } = withListed('box.company.example');
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

  it.each(['localhost', '192.0.2.1', ''])('is not "%s", which is not a registered domain', (domain) => {
    expect(isDisposable(domain)).toBe(false);
  });

  it('includes a suffix that is on the list itself', () => {
    expect(isDisposable('3utilities.com')).toBe(true);
  });

  it('does not flag a customer of a listed suffix', () => {
    expect(['shop.eu.org', 'shop.web.id', 'home.duckdns.org'].map(isDisposable)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

it.each(['gmail.com', 'yahoo.fr', 'gmx.de', 'outlook.de', 'hey.com'])('calls %s free', (domain) => {
  expect(isFree(domain)).toBe(true);
});
