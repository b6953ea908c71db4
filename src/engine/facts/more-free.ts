/** Domains of free mailboxes that the published list lacks, each with a public source. */
export const MORE_FREE_DOMAINS: readonly (readonly [domain: string, source: string])[] = [
  ['au.com', 'https://www.gapsis.jp/2018/04/about-aucom-mailaddress.html'],
  ['internet.ru', 'https://redaktor.az/news/tech/211948-mailru-yeni-domen-istifadeye-verdi'],
  ['xmail.ru', 'https://redaktor.az/news/tech/211948-mailru-yeni-domen-istifadeye-verdi'],
  ['vk.com', 'https://github.com/chatmail/provider-db/blob/master/_providers/vk.com.md'],
  ['tutanota.com', 'https://github.com/chatmail/provider-db/blob/master/_providers/tutanota.md'],
  ['tutamail.com', 'https://github.com/chatmail/provider-db/blob/master/_providers/tutanota.md'],
  ['tuta.io', 'https://github.com/chatmail/provider-db/blob/master/_providers/tutanota.md'],
  ['keemail.me', 'https://github.com/chatmail/provider-db/blob/master/_providers/tutanota.md'],
];
