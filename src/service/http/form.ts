/** Parses `application/x-www-form-urlencoded` text, and checks that it is well-formed. */

export interface Form {
  readonly pairs: [string, string][];
  /** False if an escape is broken or is not UTF-8. Its meaning would be a guess. */
  readonly isWellFormed: boolean;
}

/** Follows the URL standard: a plus sign means a space, so a plus sign itself must be `%2B`. */
export function parseForm(text: string): Form {
  return { pairs: [...new URLSearchParams(`?${text}`)], isWellFormed: isWellFormed(text) };
}

function isWellFormed(text: string): boolean {
  try {
    decodeURIComponent(text);
    return !holdsBrokenBytes(text);
  } catch {
    return false;
  }
}

/** Whether the text was decoded from bytes that are not UTF-8, which become this character. */
export function holdsBrokenBytes(text: string): boolean {
  return text.includes('\uFFFD');
}
