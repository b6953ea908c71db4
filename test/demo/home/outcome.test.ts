import { expect, it } from 'vitest';
import { describeError } from '../../../demo/home/outcome.js';

it.each([
  [429, 'Rate Limit Exceeded', 'Rate Limit Exceeded. The form can be submitted.'],
  [503, 'Not available at the moment.', 'Not available at the moment. The form can be submitted.'],
  [249, 'Send it again', 'The service gave no result in time. The form can be submitted.'],
])('says in whole sentences what a failure with status %i means', (status, message, text) => {
  expect(describeError({ status, message })).toEqual(['error', text]);
});
