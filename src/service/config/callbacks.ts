/** The section `callbacks`: where the results of batches may be sent. */
import { Type } from '@sinclair/typebox';

export const CallbacksSchema = Type.Object(
  {
    /** Whether they may go to private and loopback IP addresses. @default false */
    allowPrivateAddresses: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  },
  { additionalProperties: false, expected: 'an object' },
);
