/** The error for input that the operator can correct, and functions to write its message. */
import { hideKeys } from './log.ts';

/** The longest error message. One line of it fits on a screen and in a log. */
const MAX_LENGTH = 300;
/** The longest quoted value within a message. */
const MAX_QUOTED = 60;

/** A wrong flag, value or file. The command ends with exit code 2 and prints the message as one line. */
export class UsageError extends Error {
  /** @param message "Expected X, got Y. Do Z." */
  constructor(message: string) {
    super(toLine(message));
  }
}

/** Makes one line of at most 300 characters that contains no key. */
export function toLine(message: string): string {
  const line = hideKeys(message)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/** Quotes a value from the command line, without the password of a URL. Line breaks appear as `\n`, and a long value is cut. */
export function quote(text: string): string {
  const shown = text.replace(/\/\/[^/@]*@/g, '//…@');
  return JSON.stringify(shown.length > MAX_QUOTED ? `${shown.slice(0, MAX_QUOTED)}…` : shown);
}
