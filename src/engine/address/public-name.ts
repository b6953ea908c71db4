/** Recognises domain names that public mail can reach. */

/** False for a single label and for an IP address: public mail cannot reach them, whatever the DNS says. */
export function canBePublic(asciiDomain: string): boolean {
  return /\.(?!\d+$)[^.]+$/.test(asciiDomain);
}
