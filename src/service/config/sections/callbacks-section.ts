/** The section `callbacks`: where the service may send the results of batches. */
import { type Static, Type } from '@sinclair/typebox';
import { section, yesNo } from './shared-schemas.ts';

export const CallbacksSchema = section(
  {
    allowPrivateAddresses: yesNo(
      'Whether callbacks may go to private and loopback IP addresses. Set it only for receivers in your own network.',
      false,
    ),
    refusedNetworks: Type.Optional(
      Type.Array(Type.String({ expected: 'an IP address or a range such as "192.0.2.0/24"' }), {
        maxItems: 256,
        expected: 'a list of IP addresses and ranges',
        description:
          'IP addresses and ranges that callbacks may not go to, such as `["203.0.113.0/24"]`. Name the public ones of your own network that nobody else should reach.',
        default: [],
      }),
    ),
  },
  { title: 'Callbacks', description: 'See [Callbacks](batch.md#callbacks).' },
);

/** The operator's rules for the receivers of callbacks. */
export type CallbackRules = Required<Static<typeof CallbacksSchema>>;
