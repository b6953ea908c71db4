/** Guesses which column of a list has the addresses, and whether the first row has titles. */
import type { Table } from './list-table.ts';

export interface Profile {
  readonly addressColumn: number;
  readonly hasHeader: boolean;
}

/** Common titles of the column, in letters and digits only. */
const EXACT = new Set(
  'email emails mail emailaddress mailaddress emailadresse mailadresse eposta epostadresse courriel adressemail adresseemail correo correoelectronico indirizzoemail adresmail enderecodeemail sahkoposti почта электроннаяпочта メール メールアドレス 邮箱 电子邮件 電子郵件 이메일 البريدالإلكتروني'.split(
    ' ',
  ),
);
const PART = /mail|address|adress|correo|courriel|posta|почта|メール|邮|郵|이메일|بريد/;
/** A column with almost as many addresses as the best one may be the right one, such as a column with gaps. */
const ALMOST = 0.8;

export function profileOf(table: Table): Profile {
  const { first, columns, addresses } = table;
  const best = Math.max(...addresses);
  const candidates = Array.from({ length: columns }, (_, column) => column).filter(
    (column) => (addresses[column] ?? 0) >= best * ALMOST,
  );
  const hasHeader = isHeader(table, candidates);
  const rank = (column: number) => (hasHeader ? titleRank(first[column] ?? '') : 0);
  const [addressColumn = 0] = candidates.sort(
    (a, b) => rank(b) - rank(a) || addresses[b]! - addresses[a]! || a - b,
  );
  return { addressColumn, hasHeader };
}

/** How many rows the first one is compared with. */
const COMPARED = 20;
const FIGURES = /^[\d\s.,:+/()€$£%-]*\d[\d\s.,:+/()€$£%-]*$/;
/** An address whose at sign is missing. */
const DOTTED = /^[^\s@]+\.[a-z]{2,}$/i;

/** @param likely the columns that may have the addresses */
function isHeader({ first, rows }: Table, likely: readonly number[]): boolean {
  // Titles have no at sign. A mistyped address usually has one.
  if (rows.length === 1 || first.some((cell) => cell.includes('@'))) return false;
  const ranks = first.map(titleRank);
  if (ranks.includes(2)) return true;
  if (likely.some((column) => DOTTED.test(first[column]?.trim() ?? ''))) return false;
  if (ranks.includes(1)) return true;
  const others = rows.slice(1, COMPARED + 1).map((row) => JSON.parse(row) as readonly string[]);
  const looksLikeOthers = (cell: string, column: number) => {
    const below = others.map((row) => row[column] ?? '').filter((text) => text.trim() !== '');
    if (cell.trim() === '' || below.length === 0) return false;
    return below.includes(cell) || (FIGURES.test(cell) && below.every((text) => FIGURES.test(text)));
  };
  return !first.some(looksLikeOthers);
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
