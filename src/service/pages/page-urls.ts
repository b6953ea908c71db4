/** The URLs of the pages as browsers see them. A reverse proxy may serve them below a path, and over TLS. */
import { DEFAULT_SUPPORT } from '../config/config-schema.ts';

/** A part of the site that not every service has. */
export type SitePart = 'demo' | 'docs' | 'dashboard' | 'reference';

export interface Site {
  /** Whether browsers reach the pages over TLS, so that cookies can require it. */
  readonly isSecure: boolean;
  /** The origin of the configured public URL. */
  readonly origin: string | undefined;
  /** @param path of this service, such as `/login` @returns the path for a link or a `Location` header */
  link(path: string): string;
  /** The provider of single sign-on. */
  readonly provider: SiteProvider | undefined;
  /** What people do who have lost their password. */
  readonly support: string;
  /** Whether this service has that part. */
  has(part: SitePart): boolean;
}

/** The provider as the sign-in form names it. */
export interface SiteProvider {
  readonly name: string;
  /** Whether it is the only way to sign in. */
  readonly only: boolean;
  /** Whether it says whose an address is. Nobody else can take such an address here by typing it. */
  vouchesFor(email: string): boolean;
  /** Whether it could not be reached lately. A call also looks again, for the next one. */
  isAway(): boolean;
}

/**
 * @param publicUrl as the config has it: without a slash at the end. Without it, the pages are at the root.
 * @param parts what this service has @param support what people do who have lost their password
 */
export function createSite(
  publicUrl: string | undefined,
  parts: readonly SitePart[] = [],
  support = DEFAULT_SUPPORT,
  provider?: SiteProvider,
): Site {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const base = url?.pathname.replace(/\/+$/, '') ?? '';
  return {
    isSecure: url?.protocol === 'https:',
    origin: url?.origin,
    support,
    provider,
    link: (path) => `${base}${path}`,
    has: (part) => parts.includes(part),
  };
}
