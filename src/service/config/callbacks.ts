/** The section `callbacks`: where callbacks of batches may go. */
import { Type } from '@sinclair/typebox';
import { yesNo } from './parts.ts';

export const CallbacksSchema = Type.Object(
  {
    allowPrivateAddresses: yesNo(
      'Whether callbacks may go to private and loopback IP addresses. Only for your own network.',
      false,
    ),
  },
  { additionalProperties: false, expected: 'an object' },
);
