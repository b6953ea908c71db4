/** The large free providers of mailboxes. The file needs no library, because the testing kit uses it too. */

/**
 * Their names with their endings, the largest first. Suggestions correct these names. Names with fewer than five letters
 * and plain words are left out, because they are too similar to other names.
 */
export const LARGE_PROVIDERS = Object.entries({
  gmail: 'com',
  yahoo: 'com co.uk fr de it es ca in com.br co.in co.jp com.au com.mx com.ar',
  hotmail: 'com co.uk fr de it es be nl ca se',
  outlook: 'com fr de es it jp com.br',
  icloud: 'com',
  googlemail: 'com',
  protonmail: 'com ch',
  comcast: 'net',
  verizon: 'net',
  sbcglobal: 'net',
  bellsouth: 'net',
  earthlink: 'net',
  btinternet: 'com',
  virginmedia: 'com',
  't-online': 'de',
  wanadoo: 'fr',
  laposte: 'net',
  tiscali: 'it co.uk',
  bigpond: 'com net.au',
  fastmail: 'com fm',
  rocketmail: 'com',
  yandex: 'ru com',
}).map(([label, endings]) => ({ label, endings: endings.split(' ') }));

export const LARGE_DOMAINS: readonly string[] = LARGE_PROVIDERS.flatMap(({ label, endings }) =>
  endings.map((ending) => `${label}.${ending}`),
);

/** @param domain in lower case. A typing error in these names is never meant, even if its domain exists. */
export const isLargeDomain = (domain: string): boolean => LARGE_DOMAINS.includes(domain);
