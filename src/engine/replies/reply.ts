/** A reply of a mail server, and its meaning. */

/** All lines of one reply (RFC 5321, section 4.2). */
export interface Reply {
  /** Three digits, 200 to 599. */
  readonly code: number;
  /** The text of each line, without code and separator. At least one, which may be empty. */
  readonly lines: readonly string[];
}

/** The command that a reply belongs to. `probe` is the RCPT of the impossible address. */
export type ReplyStage = 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'probe' | 'rset' | 'quit';

export type Meaning =
  /** 2xx */
  | 'accepted'
  /** The mailbox does not exist, or is disabled. */
  | 'no-such-mailbox'
  | 'mailbox-full'
  /** The server cannot take this kind of address, such as one with characters beyond ASCII. */
  | 'unsupported-address'
  /** Block lists, reputation, policy, relaying, our HELO or our sender. */
  | 'about-us'
  /** Any other 4xx, such as greylisting. */
  | 'temporary'
  /** Any other 5xx. */
  | 'refused';

export interface Reading {
  readonly meaning: Meaning;
  /** The rule that decided, such as `about us: block list` or `no such mailbox: 5.1.1`. Bounded, without text from outside. */
  readonly rule: string;
  /** Whether the server asks for fewer conversations: 421, a rate limit, or a block. Its organisation then gets a pause. */
  readonly slowDown: boolean;
}

export interface ReplyContext {
  readonly stage: ReplyStage;
  /** The verified address. It is removed from the text before the search for words. */
  readonly recipient: string;
  /** Our sender. It is removed too. */
  readonly sender: string;
  /** Our name in EHLO. It is removed too. */
  readonly helo: string;
  /** The name of the mail host. */
  readonly mailHost: string;
}
