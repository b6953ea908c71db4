/** Describes a change for the audit log: the fields that differ, never a secret. */
import type { AuditEvent } from '../../audit/audit-store.ts';
import type { KeySettings } from './manage-keys-store.ts';

type Details = NonNullable<AuditEvent['details']>;

/** @returns an empty object if the settings are equal */
export function describeChanges(before: KeySettings, after: KeySettings): Details {
  return {
    ...(before.name !== after.name && { name: after.name, former_name: before.name }),
    ...describeList('domains', before.trusted_domains, after.trusted_domains),
    ...describeList('ips', before.trusted_ips, after.trusted_ips),
    ...(before.captcha_provider !== after.captcha_provider && { captcha: after.captcha_provider }),
    ...(before.captcha_secret !== after.captcha_secret &&
      after.captcha_secret !== null && { captcha_secret: 'replaced' }),
    ...(before.daily_credits !== after.daily_credits && { daily_credits: after.daily_credits }),
    ...(before.siteverify_url !== after.siteverify_url && { siteverify_url: after.siteverify_url }),
  };
}

function describeList(what: string, before: readonly string[], after: readonly string[]): Details {
  const added = after.filter((entry) => !before.includes(entry));
  const removed = before.filter((entry) => !after.includes(entry));
  return {
    ...(added.length > 0 && { [`${what}_added`]: added.join(', ') }),
    ...(removed.length > 0 && { [`${what}_removed`]: removed.join(', ') }),
  };
}
