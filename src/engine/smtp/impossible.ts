/**
 * Makes the local part of an address that cannot exist, to find out whether a server accepts every address.
 *
 * It looks like a person's address, because servers refuse random names and tests. A domain always gets the same one, so
 * that greylists let the second attempt pass.
 */
import { sha256 } from '../../shared/sha256.ts';

const FIRST_NAMES = (
  'adela albin alma anselm arlo astrid aurel bastian beata bela benno birgit blanka boris bruna callum carina cedric ' +
  'celia corin dagmar damian daria delia dorian edda elina elmar emeric enya esben fabia felix fiora florin frida ' +
  'gerda gideon gisela henrik hilda ilian imke irena ivo jolanda jonas kalina karel kiran klara lasse leona linus ' +
  'livia lorenz magda marek mirela nadia nils odette olaf paloma pavel'
).split(' ');
const CONSONANTS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'st', 'br'];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ei', 'ou'];
const ENDINGS = ['ck', 'l', 'n', 'nd', 'r', 'rt', 's', 'x'];
const SYLLABLES = 3;

/** Words that look suspicious in a server's log. Random syllables can form some of them. */
const TELLING =
  /test|prob|verif|check|spam|rand|fake|bogus|valid|exist|known|dummy|temp|trap|null|void|none|nobod|admin|root|user|mail|smtp|abus|boun|bot|honey|sampl|exampl|catch|scan|ping|delet|remov|reply|secur|post|web|info/;

export function impossibleLocalPart(domain: string): string {
  const key = domain.toLowerCase();
  for (let attempt = 0; ; attempt += 1) {
    const candidate = localPartOf(sha256(`impossible local part ${attempt} ${key}`));
    if (!TELLING.test(candidate.replaceAll(/[^a-z]/g, ''))) return candidate;
  }
}

/**
 * About 70 first names, 128³ × 8 invented surnames and 90 numbers: about 10¹¹ possibilities for each domain. Letters, digits
 * and dots only, because some providers refuse any other address without looking it up.
 */
function localPartOf(hash: string): string {
  let position = 0;
  const choose = <Item>(items: readonly Item[]): Item => {
    const index = Number.parseInt(hash.slice(position, position + 4), 16) % items.length;
    position += 4;
    return items[index]!;
  };
  const first = choose(FIRST_NAMES);
  const syllables = Array.from({ length: SYLLABLES }, () => choose(CONSONANTS) + choose(VOWELS));
  const number = 10 + (Number.parseInt(hash.slice(-4), 16) % 90);
  return `${first}.${syllables.join('')}${choose(ENDINGS)}${number}`;
}
