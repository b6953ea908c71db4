/** The types of flags: each function returns a flag that converts and checks its value. */
import { isAddress } from '../engine/address/syntax.ts';
import { ConfigError } from '../service/config/config-error.ts';
import { checkDomain } from '../service/config/sections/keys-section.ts';
import { isHttpUrl } from '../service/config/sections/shared-schemas.ts';
import { type Named, whyNotGivenName } from '../service/core/given-name.ts';
import { quote, UsageError } from '../service/core/usage-error.ts';
import { isOneLine } from '../service/dashboard/read-lines.ts';
import { normaliseHost } from '../shared/host-name.ts';
import { isIpOrRange } from '../shared/ip.ts';
import type { Flag } from './command.ts';

/** The longest name or note. */
const MAX_TEXT = 200;

export type Optional<Value> = Flag<Value, 'optional'>;

/** Makes a flag mandatory. */
export function required<Value>(flag: Optional<Value>): Flag<Value, 'required'> {
  return { ...flag, times: 'required' };
}

/** Lets a flag be given several times. */
export function repeatable<Value>(flag: Optional<Value>): Flag<Value, 'repeatable'> {
  return { ...flag, times: 'repeatable' };
}

/** A flag without a value, such as `--yes`. */
export function toggle(description: string): Optional<true> {
  return { description, times: 'optional', read: () => true };
}

/** A line of 1 to 200 characters. The forms of the dashboard take the same texts. */
export function text(placeholder: string, description: string): Optional<string> {
  return {
    placeholder,
    description,
    times: 'optional',
    read(value, place) {
      if (value.length > MAX_TEXT) {
        throw new UsageError(
          `Expected ${place} to have at most ${MAX_TEXT} characters, got ${value.length}. Shorten it.`,
        );
      }
      if (isOneLine(value) && value.trim() !== '') return value;
      throw new UsageError(`Expected ${place} to be one line of text, got ${quote(value)}. Correct it.`);
    },
  };
}

/** The name of a key or an app. */
export function givenName(named: Named, description: string): Optional<string> {
  const base = text('NAME', description);
  return {
    ...base,
    read(value, ...rest) {
      const name = base.read(value, ...rest);
      const fault = whyNotGivenName(name.trim(), named);
      if (fault === undefined) return name;
      throw new UsageError(`Expected ${rest[0]} to be a name ${fault}. Choose another.`);
    },
  };
}

/** An email address, by the grammar that the service verifies with. */
export function address(description: string): Optional<string> {
  return {
    placeholder: 'EMAIL',
    description,
    times: 'optional',
    read(value, place) {
      if (isAddress(value)) return value;
      throw new UsageError(
        `Expected ${place} to be an email address such as ada@example.com, got ${quote(value)}. Correct it.`,
      );
    },
  };
}

/** A whole number within limits, written in digits. */
export function wholeNumber(
  limits: { readonly from: number; readonly to: number; readonly placeholder?: string },
  description: string,
): Optional<number> {
  const { from, to, placeholder = 'N' } = limits;
  return {
    placeholder,
    description,
    times: 'optional',
    read(value, place) {
      if (/^-?\d{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to) return Number(value);
      throw new UsageError(
        `Expected ${place} to be a whole number from ${from} to ${to}, got ${quote(value)}. Correct it.`,
      );
    },
  };
}

/** One of several words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  description: string,
): Optional<Word> {
  return {
    placeholder: words.join('|'),
    description,
    times: 'optional',
    read(value, place) {
      const word = words.find((candidate) => candidate === value);
      if (word !== undefined) return word;
      throw new UsageError(
        `Expected ${place} to be ${listWords(words)}, got ${quote(value)}. Use one of these.`,
      );
    },
  };
}

/** A domain that may use a public key, in the form that origins are compared in. */
export function domain(description: string): Optional<string> {
  return {
    placeholder: 'DOMAIN',
    description,
    times: 'optional',
    read(value, place) {
      try {
        checkDomain(value, place);
      } catch (error) {
        if (error instanceof ConfigError) throw new UsageError(error.message);
        throw error;
      }
      return normaliseHost(value)!;
    },
  };
}

/** An IP address or a range of them. */
export function ipOrRange(description: string): Optional<string> {
  return {
    placeholder: 'IP',
    description,
    times: 'optional',
    read(value, place) {
      if (isIpOrRange(value)) return value;
      throw new UsageError(
        `Expected ${place} to be an IP address such as 192.0.2.1 or a range such as 192.0.2.0/24, got ${quote(value)}. Correct it.`,
      );
    },
  };
}

/** An http or https URL. */
export function webUrl(description: string): Optional<string> {
  return {
    placeholder: 'URL',
    description,
    times: 'optional',
    read(value, place) {
      if (isHttpUrl(value)) return value;
      throw new UsageError(
        `Expected ${place} to be an http or https URL, got ${quote(value)}. Write it with https://.`,
      );
    },
  };
}

function listWords(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
