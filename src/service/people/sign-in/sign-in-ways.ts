/** What the sign-in form offers besides the password, and the script that it needs. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../pages/html.ts';
import { pageHeaders } from '../../pages/page-headers.ts';

export interface SignInWays {
  /** The tags of the script, for the head of the page. */
  readonly script: Html;
  /** Whether a passkey alone lets people in. */
  readonly hasPasskeys: boolean;
  /**
   * How a person without a password and without a second factor confirms who they are: a form that leads to the provider,
   * and back to the page. @default the operator must help
   */
  readonly confirmAtProvider?: (request: FastifyRequest, back: ConfirmedPage) => Html;
}

/** The page that asks for the confirmation. */
export interface ConfirmedPage {
  readonly path: string;
  /** What the person has typed on it. */
  readonly typed: ReadonlyMap<string, string>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Set in scopes of pages. */
    signInWays: SignInWays;
  }
}

const WITH_SCRIPTS = pageHeaders([], { 'connect-src': ["'self'"], 'script-src': ["'self'"] });

/** Lets the service's own scripts run on a page, and ask the service. */
export const letScriptsRun = (reply: FastifyReply): FastifyReply => reply.headers(WITH_SCRIPTS);
