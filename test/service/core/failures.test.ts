import { expect, it } from 'vitest';
import { Failure, failureOfStatus } from '../../../src/service/core/failures.ts';

it('brings the status and the words of its kind, unless there are better ones', () => {
  const missing = { name: 'Failure', code: 'credentialMissing', status: 401, headers: {} };
  const message = expect.stringMatching(/^API key is required\. Send it as api_key, or in the header/);
  expect(new Failure('credentialMissing')).toMatchObject({ ...missing, message });
  const failure = new Failure('badRequest', 'Expected less.', { Allow: 'GET' });
  expect(failure).toMatchObject({ status: 400, message: 'Expected less.', headers: { Allow: 'GET' } });
});

it.each([
  [404, 'notFound'],
  [405, 'methodNotAllowed'],
  [408, 'requestTimeout'],
  [413, 'bodyTooLarge'],
  [415, 'bodyNotSupported'],
  [417, 'expectationFailed'],
  [431, 'headersTooLarge'],
])('keeps the status %i of a refusal of the framework', (status, code) => {
  expect(failureOfStatus(status)).toMatchObject({ status, code });
});

it.each([
  [399, 500],
  [400, 400],
  [402, 400],
  [499, 400],
  [500, 500],
  [503, 500],
])('turns a refusal of the framework with status %i into a %i', (refused, status) => {
  expect(failureOfStatus(refused).status).toBe(status);
});
