/** Recognises an address in stored data, like batches do: spelling, case and the white space around it do not matter. */
import { domainToUnicode } from 'node:url';
import { splitAddress } from '../../../engine/address/parts.ts';
import { oneSpelling } from '../../../engine/address/spelling.ts';
import { asciiInJson } from '../../database/ascii.ts';
import { decoded } from '../../lists/reading/address-in.ts';
import { withoutCase, withoutSpelling } from '../parse-addresses.ts';

export type Matcher = ReturnType<typeof createMatcher>;

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

export function createMatcher(address: string) {
  const spellings = spellingsOf(address.trim());
  const wanted = withoutSpelling(address.trim());
  // In Unicode mode, a backslash may precede only these, and not a hyphen (ECMA-262, IdentityEscape).
  const patterns = spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const escaped = `(?:${patterns.join('|')})`;
  const whole = new RegExp(`${BEFORE}${escaped}${AFTER}`, 'u');
  const inName = `${BEFORE_IN_NAME}${escaped}${AFTER_IN_NAME}`;
  const [once, all] = [new RegExp(inName, 'u'), new RegExp(inName, 'giu')];
  const isInName = (text: string) => once.test(withoutCase(text));
  const is = (text: string) => withoutSpelling(text.trim()) === wanted;
  const isPart = (text: string) => is(text) || whole.test(withoutCase(text));
  return {
    /**
     * Every stored JSON text with the address contains one of these, in the form of `asciiOf()`: the address itself, and
     * its form in URLs. They may also match other texts.
     */
    ascii: [
      ...new Set(
        spellings
          .flatMap((spelling) => [spelling, spelling.replaceAll('@', '%40'), percentEncoded(spelling)])
          .map(asciiInJson),
      ),
    ],
    /** Whether the text is the address. */
    is,
    /** Whether the address is part of the text, as in `Ada <ada@example.com>`. Longer addresses do not count. */
    isIn: (text: string) => isPart(text) || (text.includes('%') && isPart(percentDecoded(text))),
    /** The name of a file or batch with another word instead of the address. Undefined if it is not in the name. */
    replaceInName(name: string, by: string): string | undefined {
      const readable = isInName(name) ? name : percentDecoded(name);
      if (!isInName(readable)) return undefined;
      const replaced = readable.replace(all, by);
      // A pattern does not find all equal letters. The whole name is then replaced.
      return replaced === readable || isInName(replaced) ? by : replaced;
    },
  };
}

/** The usual spellings of one mailbox, without case: each form of the domain, and composed and decomposed letters. */
function spellingsOf(address: string): string[] {
  const one = oneSpelling(address);
  const { domain, local } = splitAddress(one);
  const forms = domain.includes('xn--') ? [one, `${local}@${domainToUnicode(domain)}`] : [one];
  const all = [address, ...forms, ...forms.map((form) => form.normalize('NFD'))];
  return [...new Set(all.map(withoutCase))];
}

const percentEncoded = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, ''));

/** Invalid encodings stay unchanged. */
const percentDecoded = (text: string): string => text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => decoded(run));
