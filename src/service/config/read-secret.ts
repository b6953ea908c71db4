/** Reads the file of a secret. */

export type ReadFile = (path: string) => string;

/** The trailing line break comes from the editor and is not part of the secret. */
export const secretIn = (text: string) => text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');

/** @param refuse makes the error for a file that cannot be read, by its code */
export function readSecret(path: string, readFile: ReadFile, refuse: (code: string) => Error): string {
  try {
    return secretIn(readFile(path));
  } catch (error) {
    const { code = 'unreadable' } = error as { code?: string };
    throw refuse(code);
  }
}
