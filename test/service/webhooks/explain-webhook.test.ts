import { expect, it } from 'vitest';
import {
  explainError,
  explainStatus,
  RefusedAddressError,
  TooLateError,
  TooLongError,
} from '../../../src/service/webhooks/explain-webhook.ts';

it.each([
  [200, null],
  [201, 'The receiver answered 201. Only 200 counts as delivered.'],
  [204, 'The receiver answered 204. Only 200 counts as delivered.'],
  [302, 'The receiver answered 302. Redirects are not followed.'],
  [404, 'The receiver answered 404.'],
  [503, 'The receiver answered 503.'],
])('explains the status %s', (status, sentence) => {
  expect(explainStatus(status)).toBe(sentence);
});

const coded = (code?: string, message = '') => Object.assign(new Error(message), { code });
const PRIVATE = 'DNS lookup 10.0.0.1(family:4, host:x) is not allowed. Because, It is private IP address.';
const REFUSED =
  'The host has an IP address that callbacks may not go to. It is private, or the operator refuses it.';

it.each([
  [new TooLateError(), 'The receiver did not answer within 30 seconds.'],
  [new TooLongError(), 'The receiver sent too much before its response.'],
  [new RefusedAddressError(), REFUSED],
  [coded(undefined, PRIVATE), REFUSED],
  [coded('ENOTFOUND'), 'The host name does not exist.'],
  [coded('EAI_AGAIN'), 'The host name could not be looked up.'],
  [coded('ECONNREFUSED'), 'The receiver refused the connection.'],
  [coded('EHOSTUNREACH'), 'The receiver cannot be reached.'],
  [coded('HPE_HEADER_OVERFLOW'), 'The headers of the response are too large.'],
  [coded('HPE_INVALID_CONSTANT'), 'The response of the receiver is not HTTP.'],
  [coded('CERT_HAS_EXPIRED'), 'The certificate is not trusted: it has expired.'],
  [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'The certificate is not trusted: it is for another host name.'],
  [coded('CERT_UNTRUSTED'), 'A secure connection could not be made.'],
  [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'A secure connection could not be made.'],
  [coded('EPROTO'), 'A secure connection could not be made.'],
  [coded('EMFILE'), 'The callback could not be sent (EMFILE).'],
  [new TypeError('a bug'), 'The callback could not be sent (TypeError).'],
])('explains %o', (error, sentence) => {
  expect(explainError(error, 30_000)).toBe(sentence);
});
