/** Why a sign-in through the provider is refused: what the person is told, and what the operator can do. */

interface Refusal {
  readonly status: number;
  /** @param provider the name of the provider */
  readonly message: (provider: string) => string;
  /** For the log. */
  readonly advice: string;
}

const AGAIN = 'Sign in again.';

export const PROVIDER_REFUSALS = {
  away: {
    status: 503,
    message: (provider) => `${provider} cannot be reached at the moment. Try again in a minute.`,
    advice: 'Check that this machine reaches the URL of oidc.issuer.',
  },
  state: {
    status: 403,
    message: () =>
      `This sign-in did not begin in this browser, or it took more than 10 minutes, or it was used already. ${AGAIN}`,
    advice:
      'If such lines go on, somebody may send people links to sign-ins of others. A person who needs more than 10 minutes also leads to this line.',
  },
  denied: {
    status: 403,
    message: (provider) =>
      `${provider} did not sign you in. Try again. If it happens again, ask those who run ${provider} whether you may use this service.`,
    advice:
      'The provider refused the person or the request. Look into its log, and check the scopes and the redirect URI of this client there.',
  },
  slow: {
    status: 403,
    message: () => `The sign-in took too long, or the page was loaded twice. ${AGAIN}`,
    advice: 'The provider no longer knew the code. If such lines go on, compare the clocks of both machines.',
  },
  setup: {
    status: 502,
    message: (provider) =>
      `${provider} did not accept the request of this service. The operator of this service finds the reason in the log.`,
    advice:
      'Compare oidc.clientId, oidc.clientSecretFile and the redirect URI with those that the provider has for this client.',
  },
  distrusted: {
    status: 403,
    message: (provider) =>
      `What ${provider} sent did not pass the checks, so you were not signed in. Sign in again. If it happens again, tell the operator of this service.`,
    advice:
      'A check of the response or of the ID token failed. If the clocks of both machines are right and it goes on, somebody may be tampering with sign-ins.',
  },
  unverified: {
    status: 403,
    message: (provider) =>
      `${provider} does not say that it has verified your email address. Ask those who run ${provider} to verify it, then sign in again.`,
    advice:
      'At the first sign-in, the claim email_verified must be true. Let the provider send it as a boolean, with the scope email.',
  },
  domain: {
    status: 403,
    message: (provider) =>
      `Your email address at ${provider} belongs to a domain that this service does not accept from it. Sign in with the address of your organisation.`,
    advice: 'If the domain belongs to your organisation, add it to oidc.allowedDomains.',
  },
  unknown: {
    status: 403,
    message: () =>
      'Nobody with your email address is known here. Ask an owner or admin of your account for an invitation, then sign in again.',
    advice:
      'Invite the person, or set oidc.account with oidc.rolesClaim and oidc.roles, so that people become members at their first sign-in.',
  },
  otherSubject: {
    status: 403,
    message: (provider) =>
      `Your email address belongs to somebody else at ${provider} already, or it was given to you there again. Ask the operator of this service for help.`,
    advice:
      'The provider has a new subject (sub) for an address that another one is linked with. If it is the same person, remove the old link by "admin person unlink --email E".',
  },
  noGroup: {
    status: 403,
    message: (provider) =>
      `You are in no group at ${provider} that may use this service. Ask those who run ${provider} to add you to one, then sign in again.`,
    advice:
      'None of the groups in the claim of oidc.rolesClaim is in oidc.roles. Check that the provider sends the claim to this client.',
  },
  noAccount: {
    status: 503,
    message: () =>
      'This service is not set up for new people from your provider. Its operator finds the reason in the log.',
    advice: 'There is no account with the address of oidc.account. Create it, or correct the setting.',
  },
  otherPerson: {
    status: 403,
    message: (provider) =>
      `You have confirmed with somebody else's sign-in at ${provider}. Confirm again with your own.`,
    advice: 'A person has confirmed a session with the sign-in of another person.',
  },
  notConfirmed: {
    status: 403,
    message: (provider) =>
      `${provider} does not say that you have just signed in there. Sign out here, sign in again, and go on within 10 minutes.`,
    advice:
      'After a request with max_age=0, the ID token must have the claim auth_time with the time of the new sign-in.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

export type ProviderRefusal = keyof typeof PROVIDER_REFUSALS;
