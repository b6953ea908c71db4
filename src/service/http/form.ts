/** Reads `application/x-www-form-urlencoded` text, and says whether it was written well. */

export interface Form {
  readonly pairs: [string, string][];
  /** False when an escape is broken or is no UTF-8: what was meant by it can only be guessed. */
  readonly isWellFormed: boolean;
}

/** As the URL standard has it: a plus sign is a space, so a plus sign itself has to come as `%2B`. */
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

/** Whether the text was decoded from bytes that are no UTF-8: they leave this character behind. */
export function holdsBrokenBytes(text: string): boolean {
  return text.includes('\uFFFD');
}
