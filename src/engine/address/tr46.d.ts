/** Types for `tr46`, because the package has none. */
declare module 'tr46' {
  interface Options {
    readonly checkBidi?: boolean;
    readonly checkHyphens?: boolean;
    readonly checkJoiners?: boolean;
    readonly useSTD3ASCIIRules?: boolean;
    readonly verifyDNSLength?: boolean;
  }
  /** @returns `null` if the text is not a domain name */
  export function toASCII(domain: string, options?: Options): string | null;
}
