/** The flag that names the domain of an address. */
import { toAsciiDomain } from '../../../engine/address/domain.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { type Optional, required } from '../../flags.ts';

const asciiDomain: Optional<string> = {
  placeholder: 'DOMAIN',
  description: 'The domain, as in an email address after the at sign.',
  times: 'optional',
  read(value, place) {
    const domain = toAsciiDomain(value.trim());
    if (domain !== undefined) return domain;
    throw new UsageError(
      `Expected ${place} to be a domain such as example.com, got ${quote(value)}. Correct it.`,
    );
  },
};

export const MAIL_DOMAIN = required(asciiDomain);
