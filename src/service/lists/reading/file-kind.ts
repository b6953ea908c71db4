/** Detects the kind of a file from its bytes, regardless of its name. */
import { EMPTY, ListFault } from './list-fault.ts';

/** The first bytes of files that are not lists, and their common names. */
const OTHERS = [
  { magic: Buffer.from('%PDF-'), name: 'a PDF' },
  { magic: Buffer.from([0x89, 0x50, 0x4e, 0x47]), name: 'an image' },
  { magic: Buffer.from([0xff, 0xd8, 0xff]), name: 'an image' },
  { magic: Buffer.from('GIF8'), name: 'an image' },
  { magic: Buffer.from('RIFF'), name: 'an image, a sound or a video' },
  { magic: Buffer.from([0x1f, 0x8b]), name: 'a compressed file' },
  { magic: Buffer.from('7z\xbc\xaf', 'latin1'), name: 'a compressed file' },
  { magic: Buffer.from('Rar!'), name: 'a compressed file' },
  { magic: Buffer.from('{\\rtf'), name: 'a text document' },
];
const ZIP = Buffer.from([0x50, 0x4b, 0x03, 0x04]);
/** The container of Office files until 2003, and of encrypted ones since ([MS-CFB], section 2.2). */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
/** Names a stream of the container ([MS-OFFCRYPTO], section 2.3.4.1). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Web pages and XML that call themselves XLS. Programs write them, because Excel opens them. */
const MARKUP = [
  {
    begins: /^<\?xml[\s\S]*?urn:schemas-microsoft-com:office:spreadsheet/i,
    name: 'an XML spreadsheet of 2003',
  },
  { begins: /^(<!doctype html|<html|<head|<meta|<table|<body)/i, name: 'a web page (HTML)' },
];
const BEFORE_MARKUP = /^[^<\w]+/;
/** The names and the root element of a file are in its first bytes. */
const HEAD_BYTES = 2_048;

const startsWith = (bytes: Buffer, magic: Buffer) => bytes.subarray(0, magic.length).equals(magic);

/** Whether the file is an XLS, or another file in the container of Office. */
export const isCompound = (bytes: Buffer): boolean => startsWith(bytes, COMPOUND);

/** @throws {ListFault} for a file that is not a list or cannot be opened */
export function kindOf(bytes: Buffer): 'workbook' | 'text' {
  if (bytes.length === 0) throw new ListFault(EMPTY);
  if (startsWith(bytes, ZIP)) return 'workbook';
  if (isCompound(bytes)) {
    if (bytes.includes(ENCRYPTED))
      throw new ListFault(
        'The workbook is protected with a password. Remove the password, save it as XLSX, and upload it again.',
      );
    return 'workbook';
  }
  const other = OTHERS.find(({ magic }) => startsWith(bytes, magic));
  if (other)
    throw new ListFault(
      `Expected a CSV, TSV, TXT, XLSX or ODS file, got ${other.name}. Export the list as CSV, and upload that.`,
    );
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1').replace(BEFORE_MARKUP, '');
  const markup = MARKUP.find(({ begins }) => begins.test(head));
  if (markup)
    throw new ListFault(
      `Expected a CSV, TSV, TXT, XLSX or ODS file, got ${markup.name}, whatever its name says. Open it in a spreadsheet, save it as XLSX or CSV, and upload that.`,
    );
  return 'text';
}
