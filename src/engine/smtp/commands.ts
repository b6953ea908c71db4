/**
 * Makes all commands for mail servers (RFC 5321, section 4.1.1). A channel sends only commands of this file, and DATA,
 * VRFY and EXPN are not among them.
 */

declare const checked: unique symbol;
/** One command without its line end. It contains no other line end, so it cannot hide a second command. */
export type Command = string & { readonly [checked]: true };

export const STARTTLS = 'STARTTLS' as Command;
export const RSET = 'RSET' as Command;
export const QUIT = 'QUIT' as Command;

/** RFC 5321 (4.5.3.1.4) allows 512 octets for a command. RFC 6531 adds some for UTF-8. */
const MAX_BYTES = 998;
const CONTROL_CHARACTER = /\p{Cc}/u;
/** RFC 5321, section 4.1.2. Within quotes, everything belongs to the local part. */
const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.)*"(?=@)/s;

export const ehlo = (name: string): Command => command(`EHLO ${word(name)}`);

export const helo = (name: string): Command => command(`HELO ${word(name)}`);

/**
 * @param sender the sender. Empty for the null sender
 * @param needsUtf8 whether an address of the transaction contains characters beyond ASCII (RFC 6531, section 3.4)
 */
export const mailFrom = (sender: string, needsUtf8: boolean): Command =>
  command(`MAIL FROM:<${mailbox(sender)}>${needsUtf8 ? ' SMTPUTF8' : ''}`);

export const rcptTo = (recipient: string): Command => command(`RCPT TO:<${mailbox(recipient)}>`);

/** Whether a server needs SMTPUTF8 for an address. */
export const needsSmtpUtf8 = (address: string): boolean => /[^\0-\x7f]/.test(address);

/** Checks that an address has no spaces or angle brackets outside quotes. They would begin a parameter. */
function mailbox(address: string): string {
  const rest = address.replace(QUOTED_LOCAL_PART, '');
  if (/[\s<>]/.test(rest))
    throw new Error('Expected an email address, got one with a space or an angle bracket.');
  return address;
}

function word(name: string): string {
  if (!/^\S+$/.test(name)) throw new Error('Expected a name for EHLO, got one that is empty or has a space.');
  return name;
}

/** Checks a command. Its errors do not quote the text, which may be an email address. */
function command(text: string): Command {
  if (CONTROL_CHARACTER.test(text)) throw new Error('Expected a command, got one with a control character.');
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new Error(`Expected a command of ${MAX_BYTES} bytes at most.`);
  return text as Command;
}
