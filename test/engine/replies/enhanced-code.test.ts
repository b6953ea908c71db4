import { expect, it } from 'vitest';
import { findEnhancedCode } from '../../../src/engine/replies/enhanced-code.ts';

it.each([
  ['5.1.1 User unknown', 5, 1, 1],
  ['4.2.2', 4, 2, 2],
  ['#5.1.0 Address rejected.', 5, 1, 0],
  ['cuda_nsu 5.1.1 ... User unknown', 5, 1, 1],
  ['mx cmsmtp 5.7.1 no', 5, 7, 1],
  [' [5.7.606] Access denied', 5, 7, 606],
  ['550-5.1.1 again', 5, 1, 1],
  ['5.1.10 RESOLVER.ADR.RecipientNotFound', 5, 1, 10],
  ['sorry, no mailbox here by that name. (#5.1.1)', 5, 1, 1],
  ['relaying denied (5.7.1)', 5, 7, 1],
])('finds the code in "%s"', (line, kind, subject, detail) => {
  expect(findEnhancedCode([line])).toEqual({ class: kind, subject, detail });
});

it('takes the first line that begins with a code', () => {
  expect(findEnhancedCode(['Verification failed', '5.1.1 no such user', '5.7.1 denied'])).toEqual({
    class: 5,
    subject: 1,
    detail: 1,
  });
});

it('takes the last line of those that have one in parentheses', () => {
  expect(findEnhancedCode(['we said no before (#5.7.1)', 'there is no such user (#5.1.1)'])).toEqual({
    class: 5,
    subject: 1,
    detail: 1,
  });
});

it.each([
  'no',
  'user unknown',
  'id 5.1.1 was refused',
  'ref: 5.1.1.9',
  'RFC 5.1.1 is not met',
  'section 4.1.1 of RFC 5321',
  'version 5.1.1 of the filter',
  'host [192.5.1.1] said no',
  '5.1.1.7 is listed',
  '45.1.1 is no code',
  '6.1.1 is no code',
  '2.1.5 OK',
  'rejected (#id-5.1.1)',
  'one two three 5.1.1',
  `${'a'.repeat(41)} 5.1.1`,
  'see https://mail.example/5.1.1',
])('finds none in "%s"', (line) => {
  expect(findEnhancedCode([line])).toBeUndefined();
});

it('finds none where there are no lines', () => {
  expect(findEnhancedCode([])).toBeUndefined();
});
