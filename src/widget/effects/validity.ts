/**
 * Sets our custom validity on an input. It never overwrites or clears a message of the page: each time, it reads from
 * the input whose message is set.
 */

/** Blocks a form without a visible message, if the page has set an empty text. */
export const SILENT = '\xa0';

export interface Validity {
  /** Sets or clears (with '') our message. */
  _say(message: string): void;
  /** Whether the current message is ours. */
  _isOurs(): boolean;
  /**
   * The browser's sentence for a value that is not an address, in the visitor's language; '' for other values. Clears
   * our message.
   */
  _sentence(): string;
}

export function createValidity(input: HTMLInputElement): Validity {
  let wanted = '';
  let standing = '';

  // A barred input (disabled, read-only) hides its message, and Firefox cuts it after 256 characters.
  const stands = () => input.validity.customError;
  const isOurs = () => !!standing && stands() && (input.validationMessage || standing) === standing;

  function say(message: string) {
    if (stands() && !isOurs()) return;
    if (wanted === message && stands() === !!message) return;
    wanted = message;
    input.setCustomValidity(message);
    standing = message && (input.validationMessage || message);
  }

  return {
    _isOurs: isOurs,
    _sentence() {
      // A custom validity hides the browser's sentence.
      say('');
      return input.validity.typeMismatch && !stands() ? input.validationMessage : '';
    },
    _say: say,
  };
}
