/**
 * Replaces the captcha providers: their scripts, which pages load, and their siteverify, which the service calls. A token
 * is valid once, for two minutes, as theirs are.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const LIFETIME_MS = 120_000;
export const SECRET = 'the-secret';

interface Token {
  readonly sitekey: string;
  readonly mintedAt: number;
}

export class CaptchaProvider {
  /** If set, every challenge fails. */
  isDown = false;
  /** The checked tokens in order, with the outcomes. */
  readonly checked: { token: string; sitekey: string | undefined; success: boolean }[] = [];
  readonly #server: Server;
  readonly #tokens = new Map<string, Token>();
  #minted = 0;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://provider');
      let body = '';
      for await (const chunk of request) body += chunk;
      const cors = { 'access-control-allow-origin': '*' };
      if (url.pathname === '/token') {
        const sitekey = url.searchParams.get('sitekey') ?? '';
        if (this.isDown) response.writeHead(503, cors).end();
        else response.writeHead(200, cors).end(this.mint(sitekey));
      } else if (url.pathname === '/siteverify') {
        const { secret, response: token = '' } = Object.fromEntries(new URLSearchParams(body));
        const success = secret === SECRET && this.check(token);
        const answer = success
          ? { success, hostname: 'localhost' }
          : { success, 'error-codes': ['timeout-or-duplicate'] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      } else {
        response.writeHead(404, cors).end();
      }
    });
  }

  static async start(): Promise<CaptchaProvider> {
    const provider = new CaptchaProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  mint(sitekey: string): string {
    this.#minted += 1;
    const token = `${sitekey}.${this.#minted}`;
    this.#tokens.set(token, { sitekey, mintedAt: Date.now() });
    return token;
  }

  /** Uses a token up. @returns whether it was valid */
  check(token: string): boolean {
    const known = this.#tokens.get(token);
    this.#tokens.delete(token);
    // biome-ignore lint/plugin: the provider’s own rule, which no test waits for.
    const success = known !== undefined && Date.now() - known.mintedAt < LIFETIME_MS;
    this.checked.push({ token, sitekey: known?.sitekey, success });
    return success;
  }

  /** A provider's script, as if it came from this URL. */
  script(name: string, address: string): string {
    const source = readFileSync(new URL(`stand-ins/${name}.js`, import.meta.url), 'utf8');
    return `(() => {
      const ADDRESS = new URL(${JSON.stringify(address)});
      const mint = async (sitekey) => {
        const response = await fetch('${this.origin}/token?' + new URLSearchParams({ sitekey }));
        if (!response.ok) throw new Error('down');
        return response.text();
      };
      const addField = (place, name, tag = 'input') => {
        const field = document.createElement(tag);
        field.hidden = true;
        field.name = name;
        place.append(field);
        return field;
      };
      const elementOf = (place) => typeof place === 'string' ? document.querySelector(place) : place;
      ${source}
    })();`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
