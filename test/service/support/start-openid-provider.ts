/** Starts the OpenID provider of others, and signs people in there without a browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CLIENT } from './scripted-provider.ts';

const SCRIPT = fileURLToPath(new URL('openid-provider.mjs', import.meta.url));

export interface RealProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

export interface Registered {
  /** The URL of the service, at which its redirect URI and its logout URI are. */
  readonly origin: string;
  /** The claims of each person by the name that is typed at the sign-in. It is also the subject. */
  readonly persons: Readonly<Record<string, object>>;
}

export async function startOpenIdProvider({ origin, persons }: Registered): Promise<RealProvider> {
  const client = {
    ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
    redirect_uris: [`${origin}/login/oidc/callback`],
    backchannel_logout_uri: `${origin}/login/oidc/logout`,
    backchannel_logout_session_required: true,
  };
  // Its warnings about a provider for tests are not of interest.
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ client, persons })], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  const [issuer] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exit.then(() => {
      throw new Error('Expected the provider to print its URL, but it ended.');
    }),
  ])) as [string];
  return {
    issuer,
    async stop() {
      child.kill();
      await exit;
    },
  };
}

/** A browser without scripts, at the provider. */
export class AtProvider {
  private readonly cookies = new Map<string, string>();

  /**
   * Signs in at the URL to which the service has led the browser, and consents.
   *
   * @returns the URL of the redirect back to the service
   */
  async signIn(url: string, login: string): Promise<string> {
    const { origin } = new URL(url);
    for (let next = url, steps = 0; steps < 20; steps += 1) {
      const { response, body } = await this.open(next);
      const { location } = Object.fromEntries(response.headers);
      if (location !== undefined) {
        next = new URL(location, next).href;
        if (new URL(next).origin !== origin) return next;
        continue;
      }
      const posted = await this.submit(next, body, { login, password: 'any' });
      next = new URL(posted.response.headers.get('location') ?? '', next).href;
      if (new URL(next).origin !== origin) return next;
    }
    throw new Error('Expected the provider to lead back to the service, but it did not.');
  }

  /** Signs out of the provider, which tells its clients. */
  async signOut(issuer: string): Promise<void> {
    const { body } = await this.open(`${issuer}/session/end`);
    await this.submit(`${issuer}/session/end`, body, { logout: 'yes' });
  }

  /** Sends the only form of a page. */
  private submit(page: string, body: string, fields: Readonly<Record<string, string>>) {
    const action = /<form[^>]* action="([^"]+)"/.exec(body)?.[1];
    if (action === undefined) throw new Error(`Expected a form, got: ${body.slice(0, 500)}`);
    const hidden = [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const sent = new URLSearchParams(hidden.map(([, name, value]) => [name!, value!]));
    for (const [name, value] of Object.entries(fields)) sent.set(name, value);
    return this.open(new URL(action, page).href, { method: 'POST', body: sent });
  }

  private async open(url: string, init: RequestInit = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.cookies.set(name!, value!);
    }
    return { response, body: await response.text() };
  }
}
