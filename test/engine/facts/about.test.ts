/** What is known about an address before anybody is asked. */
import { expect, it } from 'vitest';
import { describeAddress } from '../../../src/engine/facts/about.ts';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';

const facts = {
  ...createFacts(loadPublishedLists()),
  isBlocked: (domain: string) => domain === 'xn--bcher-kva.example',
};
const about = (address: string) => describeAddress(address, facts);

it('tells everything about an address', () => {
  expect(about('jane.doe+news@Bücher.example')).toEqual({
    address: 'jane.doe+news@Bücher.example',
    local: 'jane.doe+news',
    user: 'jane.doe',
    tag: 'news',
    domain: 'Bücher.example',
    asciiDomain: 'xn--bcher-kva.example',
    isAddress: true,
    isReachable: true,
    isBlocked: true,
    isDisposable: false,
    isFree: false,
    isRole: false,
    isNoReply: false,
    name: { firstName: 'Jane', lastName: 'Doe', fullName: 'Jane Doe' },
    suggestion: null,
  });
});

it.each([
  ['jane@mailinator.com', { isDisposable: true }],
  ['jane@gmail.com', { isFree: true, suggestion: null }],
  // The lists know some mistyped names of mail services.
  ['jane@gmial.com', { isFree: false, suggestion: 'jane@gmail.com' }],
  ['no-reply@example.org', { isNoReply: true }],
  ['support@example.org', { isRole: true, name: { firstName: null, lastName: null, fullName: null } }],
  ['support+tag@example.org', { isRole: true, tag: 'tag' }],
  ['jane@localhost', { isAddress: true, isReachable: false }],
  ['jane@[192.0.2.1]', { isAddress: true, isReachable: false, asciiDomain: '' }],
  ['jane@@example.org', { isAddress: false }],
  ['', { isAddress: false, isReachable: false, asciiDomain: '' }],
])('knows %s', (address, expected) => {
  expect(about(address)).toMatchObject(expected);
});
