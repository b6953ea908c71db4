/** The URLs of the pages as browsers see them. A reverse proxy may serve them below a path, and over TLS. */

export interface Site {
  /** Whether browsers reach the pages over TLS, so that cookies can require it. */
  readonly isSecure: boolean;
  /** The origin of the configured public URL. */
  readonly origin: string | undefined;
  /** @param path of this service, such as `/login` @returns the path for a link or a `Location` header */
  link(path: string): string;
}

/** @param publicUrl as the config has it: without a slash at the end. Without it, the pages are at the root. */
export function createSite(publicUrl: string | undefined): Site {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const base = url?.pathname.replace(/\/+$/, '') ?? '';
  return {
    isSecure: url?.protocol === 'https:',
    origin: url?.origin,
    link: (path) => `${base}${path}`,
  };
}
