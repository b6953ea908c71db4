/** How the page of the API documents a failure: with an example of each message. */
import { Failure, type FailureCode } from './failures.ts';

const exampleOf = ({ code, message }: Failure) => [code, { summary: code, value: { message } }] as const;

/** @param failures the codes, or failures with messages of their own */
export const documentFailure = (description: string, ...failures: readonly (FailureCode | Failure)[]) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Message' },
      examples: Object.fromEntries(
        failures.map((failure) => exampleOf(failure instanceof Failure ? failure : new Failure(failure))),
      ),
    },
  },
});

/** The refusals of an endpoint that needs a private key or a token of an account. */
export const ACCOUNT_REFUSALS = {
  401: documentFailure('The request has no credential.', 'credentialMissing'),
  403: documentFailure(
    'The key is not accepted here, is a public key, or has no account.',
    'refused',
    'publicKeyRefused',
    'noAccount',
  ),
  429: documentFailure('The account has sent too many requests in a second.', 'tooManyRequests'),
};

/** Programs send a key or a token in the header. Pages may use a parameter, which needs no preflight. */
export const SECURITY = [{ bearer: [] }, { apiKey: [] }, { accessToken: [] }];
