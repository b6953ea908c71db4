/** Recognises an address in stored data, like batches do: case and the white space around it do not matter. */
import { asciiInJson } from '../../database/ascii.ts';
import { withoutCase } from '../parse-addresses.ts';

export interface Matcher {
  /**
   * Every stored JSON text with the address contains one of these, in the form of `asciiOf()`: the address itself, and
   * its form in URLs. They may also match other texts.
   */
  readonly ascii: readonly string[];
  /** Whether the text is the address. */
  is(text: string): boolean;
  /** Whether the address is part of the text, as in `Ada <ada@example.com>`. Longer addresses do not count. */
  isIn(text: string): boolean;
  /** The name of a file or batch with another word instead of the address. Undefined if it is not in the name. */
  replaceInName(name: string, by: string): string | undefined;
}

/** The characters that could continue an address at its two ends. */
const IN_ADDRESS = "\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-";
/** Characters that addresses may contain, but that usually surround them: quotes, emphasis, formulas. */
const AROUND = "['*/=|{`]*";
/** `?user=ada@example.com`, and `https://example.net/stop/ada@example.com`. */
const IN_QUERY = '(?<=[?&][^\\s?&=]{0,64}=)';
const IN_PATH = '(?<=:\\/\\/\\S{0,200}\\/)';
const BEFORE = `(?:(?<![${IN_ADDRESS}])${AROUND}|${IN_QUERY}|${IN_PATH})`;
const AFTER = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
/** In names, text such as `.csv` or `-2026` may follow the address. */
const BEFORE_IN_NAME = '(?<![\\p{L}\\p{N}.+])';
const AFTER_IN_NAME = '(?![\\p{L}\\p{N}])';

export function createMatcher(address: string): Matcher {
  const wanted = withoutCase(address.trim());
  // In Unicode mode, a backslash may precede only these, and not a hyphen (ECMA-262, IdentityEscape).
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = new RegExp(`${BEFORE}${escaped}${AFTER}`, 'u');
  const inName = `${BEFORE_IN_NAME}${escaped}${AFTER_IN_NAME}`;
  const [once, all] = [new RegExp(inName, 'u'), new RegExp(inName, 'giu')];
  const isInName = (text: string) => once.test(withoutCase(text));
  const is = (text: string) => withoutCase(text.trim()) === wanted;
  const isPart = (text: string) => is(text) || whole.test(withoutCase(text));
  return {
    ascii: [...new Set([wanted, wanted.replaceAll('@', '%40'), percentEncoded(wanted)].map(asciiInJson))],
    is,
    isIn: (text) => isPart(text) || (text.includes('%') && isPart(percentDecoded(text))),
    replaceInName(name, by) {
      const readable = isInName(name) ? name : percentDecoded(name);
      if (!isInName(readable)) return undefined;
      const replaced = readable.replace(all, by);
      // A pattern does not find all equal letters. The whole name is then replaced.
      return replaced === readable || isInName(replaced) ? by : replaced;
    },
  };
}

const percentEncoded = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, ''));

/** Invalid encodings stay unchanged. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
