import { describe, expect, it } from 'vitest';
import { findCredential } from '../../../src/service/access/credential.ts';
import { admit } from '../../../src/service/access/key-admission.ts';
import { Failure } from '../../../src/service/core/failures.ts';
import { createConfigKeys } from '../../../src/service/keys/config-keys.ts';

const find = (authorization: string | undefined, parameters: Record<string, unknown[]> = {}) =>
  findCredential(authorization, new Map(Object.entries(parameters)));

describe('the credential of a request', () => {
  it.each<[string | undefined, Record<string, unknown[]>, boolean]>([
    ['Bearer secret', {}, true],
    ['BEARER   secret  ', {}, true],
    [undefined, { api_key: ['secret'] }, false],
    [undefined, { api_key: ['', 'secret'] }, false],
    ['Bearer secret', { api_key: ['secret', 'secret'] }, false],
    [undefined, { access_token: ['secret'] }, true],
    ['Bearer secret', { access_token: ['secret'] }, true],
  ])('is found in %j and %j', (authorization, parameters, isAccessToken) => {
    expect(find(authorization, parameters)).toEqual({ value: 'secret', isAccessToken });
  });

  it.each(['test_x', 'live_x'])('is an API key in the header if it begins as one: %s', (value) => {
    expect(find(`Bearer ${value}`)).toEqual({ value, isAccessToken: false });
  });

  const others = ['secret', 'Basic secret', 'x Bearer secret', 'Bearer two words'];
  it.each([undefined, '', 'Bearer', 'Bearer ', ...others])('is not in the header %j', (authorization) => {
    expect(find(authorization)).toBeUndefined();
  });

  it('is none when all that was sent is empty', () => {
    expect(find(undefined, { api_key: [''], access_token: [''] })).toBeUndefined();
  });

  it.each<[string | undefined, Record<string, unknown[]>]>([
    ['Bearer other', { api_key: ['secret'] }],
    [undefined, { api_key: ['secret', 'other'] }],
    [undefined, { api_key: ['secret'], access_token: ['other'] }],
  ])('is asked for once when several differ: %j and %j', (authorization, parameters) => {
    const message = 'Expected one credential, got several that differ. Send one of them.';
    expect(() => find(authorization, parameters)).toThrow(new Failure('badRequest', message));
  });

  it('has to be a text', () => {
    const failure = new Failure('badRequest', 'Expected api_key to be a text.');
    expect(() => find(undefined, { api_key: [7] })).toThrow(failure);
  });
});

describe('admission', () => {
  const ring = createConfigKeys([
    { key: 'test_public', kind: 'public', trustedDomains: ['shop.example'] },
    { key: 'test_private', kind: 'private' },
    { key: 'test_office', kind: 'private', trustedIps: ['192.0.2.1'] },
  ]);
  const statusOf = (value: string, sender: { origin?: string; ip?: string }) => {
    try {
      const { origin, ip = '203.0.113.5' } = sender;
      return admit(ring.find(value), { origin, ip }).kind;
    } catch (error) {
      return (error as Failure).status;
    }
  };

  it('lets a public key in from its own pages only', () => {
    expect(statusOf('test_public', { origin: 'https://shop.example' })).toBe('public');
    expect(statusOf('test_public', { origin: 'https://other.example' })).toBe(403);
    expect(statusOf('test_public', {})).toBe(403);
  });

  it('lets a private key in from its own addresses only, where it has some', () => {
    expect(statusOf('test_private', {})).toBe('private');
    expect(statusOf('test_office', { ip: '192.0.2.1' })).toBe('private');
    expect(statusOf('test_office', { ip: '192.0.2.2', origin: 'https://shop.example' })).toBe(403);
  });
});
