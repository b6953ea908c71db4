/** The types of flags: each function returns a flag that converts and checks its value. */
import { isAddress } from '../engine/address/syntax.ts';
import { checkDomain } from '../service/config/sections/keys-section.ts';
import { isHttpUrl } from '../service/config/sections/shared-schemas.ts';
import { type Named, whyNotGivenName } from '../service/core/given-name.ts';
import { quote, UsageError } from '../service/core/usage-error.ts';
import { isOneLine } from '../service/dashboard/read-lines.ts';
import { normaliseHost } from '../shared/host-name.ts';
import { isIpOrRange } from '../shared/ip.ts';
import type { Flag } from './command.ts';
import { inOneLine } from './settings.ts';

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

function optional<Value>(
  placeholder: string,
  description: string,
  read: Flag<Value>['read'],
): Optional<Value> {
  return { placeholder, description, times: 'optional', read };
}

/** @param read returns undefined for a value that is not what is expected */
export function flag<Value>(
  placeholder: string,
  description: string,
  expected: string,
  read: (value: string) => Value | undefined,
  advice = 'Correct it.',
): Optional<Value> {
  return optional(placeholder, description, (value, place) => {
    const found = read(value);
    if (found !== undefined) return found;
    throw new UsageError(`Expected ${place} to be ${expected}, got ${quote(value)}. ${advice}`);
  });
}

/** A flag without a value, such as `--yes`. */
export function toggle(description: string): Optional<true> {
  return { description, times: 'optional', read: () => true };
}

/** A line of 1 to 200 characters, without white space at its ends. The forms of the dashboard take the same texts. */
export function text(placeholder: string, description: string): Optional<string> {
  return optional(placeholder, description, (typed, place) => {
    const value = typed.trim();
    if (value.length > MAX_TEXT) {
      throw new UsageError(
        `Expected ${place} to have at most ${MAX_TEXT} characters, got ${value.length}. Shorten it.`,
      );
    }
    if (isOneLine(value) && value !== '') return value;
    throw new UsageError(`Expected ${place} to be one line of text, got ${quote(typed)}. Correct it.`);
  });
}

/** The name of a key or an app. */
export function givenName(named: Named, description: string): Optional<string> {
  const base = text('NAME', description);
  return {
    ...base,
    read(value, ...rest) {
      const name = base.read(value, ...rest);
      const fault = whyNotGivenName(name, named);
      if (fault === undefined) return name;
      throw new UsageError(`Expected ${rest[0]} to be a name ${fault}. Choose another.`);
    },
  };
}

/** An email address, by the grammar that the service verifies with. */
export function address(description: string): Optional<string> {
  return flag('EMAIL', description, 'an email address such as ada@example.com', (value) =>
    isAddress(value) ? value : undefined,
  );
}

/** A whole number within limits, written in digits. */
export function wholeNumber(
  limits: { readonly from: number; readonly to: number; readonly placeholder?: string },
  description: string,
): Optional<number> {
  const { from, to, placeholder = 'N' } = limits;
  return flag(placeholder, description, `a whole number from ${from} to ${to}`, (value) =>
    /^-?\d{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to ? Number(value) : undefined,
  );
}

/** One of several words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  description: string,
): Optional<Word> {
  const read = (value: string) => words.find((word) => word === value);
  return flag(words.join('|'), description, listWords(words), read, 'Use one of these.');
}

/** A domain that may use a public key, in the form that origins are compared in. */
export function domain(description: string): Optional<string> {
  return optional('DOMAIN', description, (value, place) => {
    inOneLine(() => checkDomain(value, place));
    return normaliseHost(value)!;
  });
}

/** An IP address or a range of them. */
export function ipOrRange(description: string): Optional<string> {
  const read = (value: string) => (isIpOrRange(value) ? value : undefined);
  return flag('IP', description, 'an IP address such as 192.0.2.1 or a range such as 192.0.2.0/24', read);
}

/** An http or https URL. */
export function webUrl(description: string): Optional<string> {
  const read = (value: string) => (isHttpUrl(value) ? value : undefined);
  return flag('URL', description, 'an http or https URL', read, 'Write it with https://.');
}

/** A file with text. The flag's value is the text. */
export function textFile(description: string): Optional<string> {
  return optional('FILE', description, (path, place, readFile) => {
    try {
      return readFile(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(
        `Expected a readable file after ${place}, got ${quote(path)} (${code}). Check the path and its permissions.`,
      );
    }
  });
}

/** A URL over which nobody else can change what arrives. */
export function httpsUrl(description: string): Optional<string> {
  const isHttps = (value: string) => isHttpUrl(value) && new URL(value).protocol === 'https:';
  const read = (value: string) => (isHttps(value) ? value : undefined);
  return flag('HTTPS-URL', description, 'an https URL', read, 'Write it with https://.');
}

function listWords(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
