/** The section `durations`, in seconds. The defaults are the interface's values. */
import { type Static, Type } from '@sinclair/typebox';
import { wholeNumber } from './parts.ts';

/** Ten years. */
const MAX_SECONDS = 315_360_000;

export const DEFAULT_DURATIONS = {
  verifyAgain: 300,
  inlineResults: 2_592_000,
  downloadFile: 432_000,
  callbackRetry: 3_600,
  callbackGiveUp: 259_200,
  authorizationCode: 600,
  accessToken: 7_200,
  deviceCode: 900,
  deviceInterval: 5,
  session: 43_200,
};

const seconds = (name: keyof typeof DEFAULT_DURATIONS, description: string) =>
  Type.Optional(
    wholeNumber(1, MAX_SECONDS, { description, default: DEFAULT_DURATIONS[name], unit: 'seconds' }),
  );

export const DurationsSchema = Type.Object(
  {
    verifyAgain: seconds('verifyAgain', 'How long a request may be repeated free of charge after its 249.'),
    inlineResults: seconds(
      'inlineResults',
      'How long a batch of up to 1,000 entries keeps its results, from its completion.',
    ),
    downloadFile: seconds('downloadFile', 'How long a larger batch keeps its download.'),
    callbackRetry: seconds('callbackRetry', 'The pause between two tries of a callback.'),
    callbackGiveUp: seconds('callbackGiveUp', 'How long a callback is tried.'),
    authorizationCode: seconds('authorizationCode', 'How long an authorization code of OAuth is valid.'),
    accessToken: seconds('accessToken', 'How long an access token is valid.'),
    deviceCode: seconds('deviceCode', 'How long a device code is valid.'),
    deviceInterval: seconds('deviceInterval', 'The shortest pause between two polls of a device.'),
    session: seconds('session', 'How long a person stays signed in.'),
  },
  { additionalProperties: false, expected: 'an object' },
);

export type Durations = Required<Static<typeof DurationsSchema>>;
