/** The file name for the download of a large batch. A download needs no other credential. */
import { randomBytes } from 'node:crypto';

const BYTES = 32;
const FILE = /^([A-Za-z0-9_-]{43})\.zip$/;

/** A name that cannot be guessed: 43 characters. */
export const createDownloadName = (): string => randomBytes(BYTES).toString('base64url');

/** @param publicUrl the base of links, without a slash at the end */
export const downloadUrl = (publicUrl: string, name: string): string => `${publicUrl}/download/${name}.zip`;

/** @param file the last part of the URL's path @returns undefined for other texts */
export const nameOfFile = (file: string): string | undefined => FILE.exec(file)?.[1];
