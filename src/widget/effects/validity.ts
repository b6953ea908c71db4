/**
 * The input's custom validity, as far as it is ours. A message that the page has set is never overwritten and
 * never cleared; which one stands is read from the input itself each time.
 */

/** A message of nothing but this blocks a form and says nothing: the page has left the text empty. */
export const SILENT = '\xa0';

export interface Validity {
  /** Sets or clears (with '') our message. */
  _say(message: string): void;
  /** Whether the message that stands is ours. */
  _isOurs(): boolean;
  /** The browser's own sentence for a value that is not an address, in the visitor's language; '' for any other. Takes ours away. */
  _nativeMessage(): string;
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
    _nativeMessage() {
      // A custom validity hides the sentence.
      say('');
      return input.validity.typeMismatch && !stands() ? input.validationMessage : '';
    },
    _say: say,
  };
}
