/** Guesses which column of a list has the addresses, and which row has the titles. */
import { hasAddress } from './address-in.ts';
import { NUMBERED_ROWS, type Table } from './list-table.ts';

export interface Profile {
  readonly addressColumn: number;
  /** The place of the row with the titles. What stands above it is not part of the list. Null without titles. */
  readonly titles: number | null;
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

/** @param hidden columns that the spreadsheet hides, which are not meant if another one has addresses */
export function profileOf(table: Table, hidden: ReadonlySet<number> = new Set()): Profile {
  const { columns, addresses } = table;
  const all = Array.from({ length: columns }, (_, column) => column);
  const shown = all.filter((column) => !hidden.has(column) && (addresses[column] ?? 0) > 0);
  const choice = shown.length > 0 ? shown : all;
  const best = Math.max(...choice.map((column) => addresses[column] ?? 0));
  const candidates = choice.filter((column) => (addresses[column] ?? 0) >= best * ALMOST);
  const head = table.head(NUMBERED_ROWS + COMPARED);
  const titles = findTitles(head, candidates);
  const rank = (column: number) => (titles === null ? 0 : titleRank(head[titles]![column] ?? ''));
  const [addressColumn = 0] = candidates.sort(
    (a, b) => rank(b) - rank(a) || (addresses[b] ?? 0) - (addresses[a] ?? 0) || a - b,
  );
  return { addressColumn, titles };
}

type Row = readonly string[];

const filled = (row: Row) => row.filter((cell) => cell.trim() !== '').length;

const lastPlace = (rows: readonly Row[], isIt: (row: Row, place: number) => boolean): number =>
  rows.reduce((last, row, place) => (isIt(row, place) ? place : last), -1);

/**
 * The titles are in the last row before the first address. A row is passed over if it has nothing in the column, because
 * it is a row of the list without an address.
 *
 * @param likely the columns that may have the addresses
 */
function findTitles(head: readonly Row[], likely: readonly number[]): number | null {
  const cellsOf = (row: Row) => likely.map((column) => row[column] ?? '');
  const first = head.findIndex((row) => cellsOf(row).some(hasAddress));
  // Titles have no at sign. A mistyped address usually has one.
  const above = head.slice(0, first < 0 ? 1 : Math.min(first, NUMBERED_ROWS));
  const mistyped = above.findIndex((row) => row.some((cell) => cell.includes('@')));
  const rows = mistyped < 0 ? above : above.slice(0, mistyped);
  const ranks = rows.map((row) => Math.max(...cellsOf(row).map(titleRank)));
  const width = Math.min(2, Math.max(...rows.map(filled)));
  const isWide = (place: number) => filled(rows[place]!) >= width;
  const tries = [
    ranks.lastIndexOf(2),
    lastPlace(rows, (_, place) => ranks[place] === 1 && isWide(place)),
    lastPlace(rows, (row) => cellsOf(row).some((cell) => cell.trim() !== '')),
    0,
  ];
  const place = tries.find((each) => each >= 0)!;
  return rows.length > 0 && isHeader(head.slice(place), likely) ? place : null;
}

/** How many rows the titles are compared with. */
const COMPARED = 20;
const FIGURES = /^[\d\s.,:+/()€$£%-]*\d[\d\s.,:+/()€$£%-]*$/;
/** An address whose at sign is missing. */
const DOTTED = /^[^\s@]+\.[a-z]{2,}$/i;

function isHeader([first = [], ...rest]: readonly Row[], likely: readonly number[]): boolean {
  if (rest.length === 0 || first.some((cell) => cell.includes('@'))) return false;
  const ranks = first.map(titleRank);
  if (ranks.includes(2)) return true;
  if (likely.some((column) => DOTTED.test(first[column]?.trim() ?? ''))) return false;
  if (ranks.includes(1)) return true;
  const others = rest.slice(0, COMPARED);
  const looksLikeOthers = (cell: string, column: number) => {
    const below = others.map((row) => row[column] ?? '').filter((text) => text.trim() !== '');
    if (cell.trim() === '' || below.length === 0) return false;
    return below.includes(cell) || (FIGURES.test(cell) && below.every((text) => FIGURES.test(text)));
  };
  return !first.some(looksLikeOthers);
}

const SIGNS = /[^\p{L}\p{N}]/gu;

function titleRank(title: string): number {
  const name = title.normalize('NFKD').toLowerCase().replace(SIGNS, '');
  const plain = name.normalize('NFC');
  if (EXACT.has(plain)) return 2;
  return PART.test(plain) ? 1 : 0;
}
