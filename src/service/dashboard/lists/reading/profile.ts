/** Guesses what the rows of a list are: which column has the addresses, and whether the first row has titles. */
import type { Table } from './table.ts';

export interface Profile {
  readonly addressColumn: number;
  readonly hasHeader: boolean;
}

/** What people call the column, in letters and digits only. */
const EXACT = new Set(
  'email emails mail emailaddress mailaddress emailadresse mailadresse eposta epostadresse courriel adressemail adresseemail correo correoelectronico indirizzoemail adresmail enderecodeemail sahkoposti почта электроннаяпочта メール メールアドレス 邮箱 电子邮件 電子郵件 이메일 البريدالإلكتروني'.split(
    ' ',
  ),
);
const PART = /mail|address|adress|correo|courriel|posta|почта|メール|邮|郵|이메일|بريد/;
/** A column with almost as many addresses as the best one may be the one that is meant, such as one with gaps. */
const ALMOST = 0.8;

export function profileOf({ first, columns, rows, addresses }: Table): Profile {
  // Titles hold no at sign. A first row that is a mistyped address mostly does.
  const hasHeader = rows.length > 1 && !first.some((cell) => cell.includes('@'));
  const best = Math.max(...addresses);
  const candidates = Array.from({ length: columns }, (_, column) => column).filter(
    (column) => (addresses[column] ?? 0) >= best * ALMOST,
  );
  const rank = (column: number) => (hasHeader ? titleRank(first[column] ?? '') : 0);
  const [addressColumn = 0] = candidates.sort(
    (a, b) => rank(b) - rank(a) || addresses[b]! - addresses[a]! || a - b,
  );
  return { addressColumn, hasHeader };
}

function titleRank(title: string): number {
  const name = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  const plain = name.normalize('NFC');
  if (EXACT.has(plain)) return 2;
  return PART.test(plain) ? 1 : 0;
}
