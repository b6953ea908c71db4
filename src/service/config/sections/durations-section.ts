/** The section `durations`, in seconds. */
import type { TInteger, TOptional } from '@sinclair/typebox';
import { optionalNumber, section } from './shared-schemas.ts';

/** Ten years. */
const MAX_SECONDS = 315_360_000;

/** Each with its default and its description. */
const SETTINGS = {
  verifyAgain: [300, 'How long a client may repeat a request free of charge after its 249.'],
  proof: [600, 'How long the [signed proof](service.md#proofs) of a result is valid.'],
  proofAgain: [
    3_600,
    'How long a visitor of a public live key gets the same result with a new proof, free of charge.',
  ],
  inlineResults: [
    2_592_000,
    'How long a batch of up to 1,000 entries keeps its results after its completion.',
  ],
  downloadFile: [432_000, 'How long a larger batch keeps its results and its download after its completion.'],
  testBatch: [
    86_400,
    'How long a batch of a test key keeps its results after its completion, if the two durations above are not shorter.',
  ],
  callbackRetry: [3_600, 'The time between two tries of a callback.'],
  callbackGiveUp: [259_200, 'How long the service tries to deliver a callback.'],
  pausedBatch: [
    2_592_000,
    'How long a batch may be paused. Then the service stops it, and gives back the credits of its addresses without a result.',
  ],
  review: [
    86_400,
    'How long an uploaded list waits on its review page for its start. Then the service deletes it.',
  ],
  ledgerDetail: [
    34_560_000,
    'How long single changes of credits are kept. Of older ones, the service keeps the sums by month.',
  ],
  auditLog: [63_072_000, 'How long the entries of the audit log are kept.'],
  authorizationCode: [600, 'How long an authorization code of OAuth is valid.'],
  accessToken: [7_200, 'How long an access token is valid.'],
  deviceCode: [900, 'How long a device code and its user code are valid.'],
  deviceInterval: [5, 'The shortest time between two polls of a device.'],
  session: [43_200, 'How long a person stays signed in.'],
  sessionIdle: [
    7_200,
    'How long a person who does nothing stays signed in. What an open page fetches by itself does not count.',
  ],
  reauthenticate: [
    600,
    'How long after a sign-in or a confirmation a person may do [what needs one](service.md#sign-in), such as creating keys, without another one: by the second factor, or without one by the password.',
  ],
  invitation: [604_800, 'How long the link of an [invitation](dashboard.md#invite-people) works.'],
} as const;

export type Durations = Record<keyof typeof SETTINGS, number>;

const ofEach = <Value>(make: (byDefault: number, description: string) => Value) =>
  Object.fromEntries(
    Object.entries(SETTINGS).map(([name, [byDefault, description]]) => [name, make(byDefault, description)]),
  ) as Record<keyof Durations, Value>;

export const DEFAULT_DURATIONS: Durations = ofEach((byDefault) => byDefault);

export const DurationsSchema = section(
  ofEach<TOptional<TInteger>>((byDefault, description) =>
    optionalNumber(1, MAX_SECONDS, { description, default: byDefault, unit: 'seconds' }),
  ),
  {
    title: 'Durations',
    description:
      'An account can keep its results for a shorter time: see [the dashboard](dashboard.md#what-is-stored-and-for-how-long).',
  },
);
