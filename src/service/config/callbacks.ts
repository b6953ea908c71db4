/** The section `callbacks`: where the service may send the results of batches. */
import { Type } from '@sinclair/typebox';
import { yesNo } from './parts.ts';

export const CallbacksSchema = Type.Object(
  {
    allowPrivateAddresses: yesNo(
      'Whether callbacks may go to private and loopback IP addresses. Set it only for receivers in your own network.',
      false,
    ),
  },
  {
    title: 'Callbacks',
    description: 'See [Callbacks](batch.md#callbacks).',
    additionalProperties: false,
    expected: 'an object',
  },
);
