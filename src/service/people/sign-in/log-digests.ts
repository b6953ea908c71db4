/** Who signs in from where, for the log: as digests, because it must not contain email addresses or IP addresses. */
import { networkOf } from '../../../shared/ip.ts';
import { sha256 } from '../../../shared/sha256.ts';
import { emailKey } from '../accounts/account-store.ts';

/** The same person and the same network have the same digests in all lines. */
export const digestsOf = ({ email, ip }: { readonly email?: string | undefined; readonly ip: string }) => ({
  ...(email !== undefined && { person: digest(emailKey(email)) }),
  network: digest(networkOf(ip)),
});

const digest = (text: string): string => sha256(text).slice(0, 16);

/** The advice of a refusal under `oidc.only`. */
export const ONLY_PROVIDER =
  'With oidc.only, people sign in through the provider alone. While it is away, let a person in by "admin person sign-in-link". If many lines have this network, block it at the reverse proxy.';
