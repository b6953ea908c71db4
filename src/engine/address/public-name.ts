/** Which names can be reached by public mail. */

/** False for a name that no public mail can reach, whatever the DNS says: a lone label, or an IP address. */
export function canBePublic(asciiDomain: string): boolean {
  return /\.(?!\d+$)[^.]+$/.test(asciiDomain);
}
