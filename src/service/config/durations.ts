/** The section `durations`, in seconds. The interface's values hold where the config names none. */
import { type Static, Type } from '@sinclair/typebox';
import { wholeNumber } from './parts.ts';

/** Ten years. */
const MAX_SECONDS = 315_360_000;
const seconds = Type.Optional(wholeNumber(1, MAX_SECONDS));

export const DurationsSchema = Type.Object(
  {
    /** How long a request may be repeated free of charge after its 249. */
    verifyAgain: seconds,
    /** How long a batch of up to 1,000 addresses keeps its results. */
    inlineResults: seconds,
    /** How long a larger batch keeps its download. */
    downloadFile: seconds,
    /** The pause between two tries of a callback. */
    callbackRetry: seconds,
    /** How long a callback is tried. */
    callbackGiveUp: seconds,
    /** How long an authorization code is valid. */
    authorizationCode: seconds,
    /** How long an access token is valid. */
    accessToken: seconds,
    /** How long a device code is valid. */
    deviceCode: seconds,
    /** The shortest pause between two polls of a device. */
    deviceInterval: seconds,
    /** How long a session lasts. */
    session: seconds,
  },
  { additionalProperties: false, expected: 'an object' },
);

export type Durations = Required<Static<typeof DurationsSchema>>;

export const DEFAULT_DURATIONS: Durations = {
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
