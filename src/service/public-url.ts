/** What links to the service begin with: the config's `publicUrl`, or the address that the service listens on. */

export interface PublicUrl {
  /** Without a slash at the end. Without a configured URL, it resolves when the service listens. */
  readonly known: Promise<string>;
  /** Says which address the service listens on. A configured URL wins. */
  listensOn(address: string): void;
}

/** @param configured a URL without a slash at the end */
export function createPublicUrl(configured: string | undefined): PublicUrl {
  let resolve!: (url: string) => void;
  const known = new Promise<string>((settle) => {
    resolve = settle;
  });
  if (configured !== undefined) resolve(configured);
  return { known, listensOn: resolve };
}
