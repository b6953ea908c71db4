/** The section `durations`, in seconds. */
import { type Static, Type } from '@sinclair/typebox';
import { wholeNumber } from './shared-schemas.ts';

/** Ten years. */
const MAX_SECONDS = 315_360_000;

export const DEFAULT_DURATIONS = {
  verifyAgain: 300,
  proof: 600,
  proofAgain: 3_600,
  inlineResults: 2_592_000,
  downloadFile: 432_000,
  testBatch: 86_400,
  callbackRetry: 3_600,
  callbackGiveUp: 259_200,
  pausedBatch: 2_592_000,
  review: 86_400,
  ledgerDetail: 34_560_000,
  auditLog: 63_072_000,
  authorizationCode: 600,
  accessToken: 7_200,
  deviceCode: 900,
  deviceInterval: 5,
  session: 43_200,
  sessionIdle: 7_200,
  reauthenticate: 600,
  invitation: 604_800,
};

const seconds = (name: keyof typeof DEFAULT_DURATIONS, description: string) =>
  Type.Optional(
    wholeNumber(1, MAX_SECONDS, { description, default: DEFAULT_DURATIONS[name], unit: 'seconds' }),
  );

export const DurationsSchema = Type.Object(
  {
    verifyAgain: seconds(
      'verifyAgain',
      'How long a client may repeat a request free of charge after its 249.',
    ),
    proof: seconds('proof', 'How long the [signed proof](service.md#proofs) of a result is valid.'),
    proofAgain: seconds(
      'proofAgain',
      'How long a visitor of a public live key gets the same result with a new proof, free of charge.',
    ),
    inlineResults: seconds(
      'inlineResults',
      'How long a batch of up to 1,000 entries keeps its results after its completion.',
    ),
    downloadFile: seconds(
      'downloadFile',
      'How long a larger batch keeps its results and its download after its completion.',
    ),
    testBatch: seconds(
      'testBatch',
      'How long a batch of a test key keeps its results after its completion, if the two durations above are not shorter.',
    ),
    callbackRetry: seconds('callbackRetry', 'The time between two tries of a callback.'),
    callbackGiveUp: seconds('callbackGiveUp', 'How long the service tries to deliver a callback.'),
    pausedBatch: seconds(
      'pausedBatch',
      'How long a batch may be paused. Then the service stops it, and gives back the credits of its addresses without a result.',
    ),
    review: seconds(
      'review',
      'How long an uploaded list waits on its review page for its start. Then the service deletes it.',
    ),
    ledgerDetail: seconds(
      'ledgerDetail',
      'How long single changes of credits are kept. Of older ones, the service keeps the sums by month.',
    ),
    auditLog: seconds('auditLog', 'How long the entries of the audit log are kept.'),
    authorizationCode: seconds('authorizationCode', 'How long an authorization code of OAuth is valid.'),
    accessToken: seconds('accessToken', 'How long an access token is valid.'),
    deviceCode: seconds('deviceCode', 'How long a device code and its user code are valid.'),
    deviceInterval: seconds('deviceInterval', 'The shortest time between two polls of a device.'),
    session: seconds('session', 'How long a person stays signed in.'),
    sessionIdle: seconds(
      'sessionIdle',
      'How long a person who does nothing stays signed in. What an open page fetches by itself does not count.',
    ),
    reauthenticate: seconds(
      'reauthenticate',
      'How long after a sign-in or a confirmation a person may do [what needs one](service.md#sign-in), such as creating keys, without another one: by the second factor, or without one by the password.',
    ),
    invitation: seconds(
      'invitation',
      'How long the link of an [invitation](dashboard.md#invite-people) works.',
    ),
  },
  {
    title: 'Durations',
    description:
      'An account can keep its results for a shorter time: see [the dashboard](dashboard.md#what-is-stored-and-for-how-long).',
    additionalProperties: false,
    expected: 'an object',
  },
);

export type Durations = Required<Static<typeof DurationsSchema>>;
