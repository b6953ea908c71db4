/** The name of the file that a large batch is downloaded by. It is the only thing that a download needs. */
import { randomBytes } from 'node:crypto';

const BYTES = 32;
const FILE = /^([A-Za-z0-9_-]{43})\.zip$/;

/** A name that cannot be guessed: 43 characters. */
export function createDownloadName(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** @param publicUrl what links begin with, without a slash at the end */
export function downloadUrl(publicUrl: string, name: string): string {
  return `${publicUrl}/download/${name}.zip`;
}

/**
 * @param file the last part of the URL's path
 * @returns undefined for what is not a name
 */
export function nameOfFile(file: string): string | undefined {
  return FILE.exec(file)?.[1];
}
