import { describe, expect, it } from 'vitest';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { suggestAddress } from '../../../src/engine/facts/suggestion.ts';

describe('a typing error', () => {
  it.each([
    ['gmial.com', 'gmail.com'],
    ['gamil.com', 'gmail.com'],
    ['gmal.com', 'gmail.com'],
    ['gmaill.com', 'gmail.com'],
    ['gnail.com', 'gmail.com'],
    ['GMIAL.COM', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gmail.cmo', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['gmailcom', 'gmail.com'],
    ['gmail,com', 'gmail.com'],
    ['gmail..com', 'gmail.com'],
    ['hotmial.com', 'hotmail.com'],
    ['hotmial.con', 'hotmail.com'],
    ['hotmai.co.uk', 'hotmail.co.uk'],
    ['yaho.com', 'yahoo.com'],
    ['yahooo.fr', 'yahoo.fr'],
    ['outlok.com', 'outlook.com'],
    ['iclod.com', 'icloud.com'],
    ['company.con', 'company.com'],
    ['company.nte', 'company.net'],
    ['company.ogr', 'company.org'],
    ['mail.company.con', 'mail.company.com'],
    ['bücher.con', 'bücher.com'],
    ['hotmailcouk', 'hotmail.co.uk'],
    ['yahoo,co,uk', 'yahoo.co.uk'],
    ['gmail;;com', 'gmail.com'],
  ])('%s is corrected to %s', (typed, meant) => {
    expect(suggestAddress(`jane+tag@${typed}`)).toBe(`jane+tag@${meant}`);
  });
});

describe('no suggestion', () => {
  it.each(
    [
      'gmail.com ymail.com email.com mail.com gail.com me.com hey.com pm.me proton.me aol.de gmx.de gmx.net web.de',
      'live.co.uk live.de outlook.de outlook.sa hotmail.ch yahoo.com.ph yahoo.co.nz mail.ru fastmail.fm duck.com',
      'mailw.com qmail.com dmail.com gomail.com gmails.com iclouds.com company.io company.co company.cm company.it',
      'acme.de acme.ne nas.local localhost con nte company,com app.test x.corp example.com comcast.com verizon.com orange.fr free.fr',
    ]
      .join(' ')
      .split(' '),
  )('for %s', (domain) => {
    expect(suggestAddress(`jane@${domain}`)).toBeNull();
  });

  it.each(['jane', 'jane@', '@gmial.com', 'jane doe@gmial.com', 'jane@my company.con', 'jane@.con', ''])(
    'that would be no address itself: "%s"',
    (typed) => {
      expect(suggestAddress(typed)).toBeNull();
    },
  );

  it('for any of the thousands of known providers, except misspelt ones in that list', () => {
    const suggested = [...loadPublishedLists().freeDomains]
      .filter((domain) => suggestAddress(`jane@${domain}`) !== null)
      .sort();
    expect(suggested).toEqual(
      'gamil.com gmai.com gmail.co gmail.om gmal.com gmial.com homail.com hotmai.com hotmail.cm hotmail.con hotmial.com snail-mail.ney yaho.com yahoo.om'.split(
        ' ',
      ),
    );
  });
});
