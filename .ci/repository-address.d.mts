/** Types of repository-address.mjs, for its test. */
export interface Addresses {
  readonly repository?: { readonly url?: string };
  readonly homepage?: string;
  readonly bugs?: { readonly url?: string };
}

export function faultsOfAddresses(manifest: Addresses, origin: string | undefined): string[];

export function faultsOfLinks(name: string, text: string, origin: string | undefined): string[];
