/** Explains in a sentence why a message was not delivered, for the owner of the account. */

/** A host name that resolves to an IP address that webhooks may not go to. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

/** Ends a request that takes too long. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/** Ends a request whose receiver sends too much before its response. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError';
}

export const REFUSED_ADDRESS =
  'The host has an IP address that callbacks may not go to. It is private, or the operator refuses it.';
export const REFUSED_PORT = 'The port of the URL is not one for HTTP.';
export const CUT_OFF = 'The service stopped before the receiver answered.';
export const FAULT = 'The service failed to send the callback. Its operator finds the reason in the log.';
export const CLOSED = 'The receiver closed the connection before it answered.';
const UNREACHABLE = 'The receiver cannot be reached.';
const LOOKUP_FAILED = 'The host name could not be looked up.';

/** By the codes of Node and the operating system. */
const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: LOOKUP_FAILED,
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  HPE_HEADER_OVERFLOW: 'The headers of the response are too large.',
};

/** By the codes of OpenSSL (its manual, "X509_STORE_CTX_get_error") and of Node. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host name',
};

/** @returns null for a 200, the only status that delivers (interface, section 6.1) */
export function explainStatus(status: number): string | null {
  if (status === 200) return null;
  const answered = `The receiver answered ${status}.`;
  if (status >= 300 && status < 400) return `${answered} Redirects are not followed.`;
  return status < 300 ? `${answered} Only 200 counts as delivered.` : answered;
}

/** @param patienceMs how long a try may take */
export function explainError(error: Error & { code?: unknown }, patienceMs: number): string {
  if (error instanceof TooLateError)
    return `The receiver did not answer within ${patienceMs / 1000} seconds.`;
  if (error instanceof TooLongError) return 'The receiver sent too much before its response.';
  // The agent that checks each IP address has no code for its errors.
  if (error instanceof RefusedAddressError || /is not allowed\. Because/.test(error.message))
    return REFUSED_ADDRESS;
  const code = typeof error.code === 'string' ? error.code : '';
  const certificate = CERTIFICATES[code];
  if (certificate) return `The certificate is not trusted: ${certificate}.`;
  if (/^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_)/.test(code)) return 'A secure connection could not be made.';
  const sentence = SENTENCES[code];
  if (sentence) return sentence;
  if (code.startsWith('HPE_')) return 'The response of the receiver is not HTTP.';
  return `The callback could not be sent (${code || error.name}).`;
}
