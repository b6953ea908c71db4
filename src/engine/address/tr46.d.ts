/** The package brings no types of its own. */
declare module 'tr46' {
  interface Options {
    readonly checkBidi?: boolean;
    readonly checkHyphens?: boolean;
    readonly checkJoiners?: boolean;
    readonly useSTD3ASCIIRules?: boolean;
    readonly verifyDNSLength?: boolean;
  }
  /** @returns `null` for what is no domain name */
  export function toASCII(domain: string, options?: Options): string | null;
}
