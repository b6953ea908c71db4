/** Types for `tr46`, because the package has none. */
declare module 'tr46' {
  interface Options {
    readonly checkBidi?: boolean;
    readonly checkJoiners?: boolean;
    readonly verifyDNSLength?: boolean;
  }
  /** @returns `null` if the text is not a domain name */
  export function toASCII(domain: string, options?: Options): string | null;
}
