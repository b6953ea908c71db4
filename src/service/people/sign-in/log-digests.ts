/** Who signs in from where, for the log: as digests, because it must not contain email addresses or IP addresses. */
import { networkOf } from '../../../shared/ip.ts';
import { sha256 } from '../../../shared/sha256.ts';
import { emailKey } from '../accounts/account-store.ts';

/** The same person and the same network have the same digests in all lines. */
export const digestsOf = ({ email, ip }: { readonly email: string; readonly ip: string }) => ({
  person: digest(emailKey(email)),
  network: digest(networkOf(ip)),
});

const digest = (text: string): string => sha256(text).slice(0, 16);
