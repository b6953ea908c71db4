/** The parts of a key that the key commands print, without its value and its captcha secret. */
import type { KeyRow } from '../../../service/keys/key-store.ts';

export function keyJson(key: KeyRow) {
  const { id, kind, mode, name, trusted_domains, trusted_ips, captcha_provider, siteverify_url } = key;
  const { daily_credits } = key;
  return {
    ...{ id, kind, mode, name, trusted_domains, trusted_ips, captcha: captcha_provider, siteverify_url },
    daily_credits,
  };
}
