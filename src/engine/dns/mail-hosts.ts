/** The way from a domain to the mail servers that take its mail (RFC 5321, section 5). */

/** A mail server that can be contacted. */
export interface MailHost {
  /** In lower case, without the dot at the end. */
  readonly name: string;
  /** The IP addresses to try, in this order. At least one, and none that must not be contacted. */
  readonly ips: readonly string[];
}

export type MailRoute =
  /** In the order in which they are tried. At least one. */
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHost[] }
  /** Mail cannot be delivered to the domain. `why` goes into the evidence. */
  | { readonly kind: 'nowhere'; readonly why: string }
  /** The DNS could not say. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'no-answer' };
