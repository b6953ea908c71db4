/** A model of the OAuth endpoints, in memory: it says which request gets tokens, and which tokens are alive. */
import { CALLBACK, type Client, DEVICE_GRANT, VERIFIER } from './world.ts';

export type Pairs = readonly (readonly [string, string])[];

export interface Code {
  readonly client: Client;
  readonly code: string;
  readonly withChallenge: boolean;
  isUsed: boolean;
}

export interface Device {
  readonly client: Client;
  readonly deviceCode: string;
  readonly userCode: string;
  state: 'pending' | 'allowed' | 'denied' | 'used';
}

/** A grant with its present tokens. */
export interface Family {
  readonly client: Client;
  readonly code: string | undefined;
  access: string;
  refresh: string;
  isAlive: boolean;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Notes the tokens that the service has given. */
type Give = (tokens: Tokens) => void;

/** What each endpoint reads. It ignores all other parameters, also repeated ones. */
const TOKEN_NAMES = [
  ...['grant_type', 'client_id', 'client_secret', 'code', 'redirect_uri', 'code_verifier'],
  ...['refresh_token', 'device_code', 'scope'],
];
const REVOKE_NAMES = ['client_id', 'client_secret', 'token'];
/** Refresh tokens of one family begin alike. */
const HANDLE = 46;
const LENGTH = 89;

export class Model {
  readonly codes: Code[] = [];
  readonly devices: Device[] = [];
  readonly families: Family[] = [];
  /** Tokens that a refresh has replaced. */
  readonly former: string[] = [];

  constructor(readonly clients: readonly Client[]) {}

  /**
   * Judges a request of `/oauth/token`, and ends what its refusal ends.
   *
   * @returns what to call with the tokens, or undefined for a request that gets none
   */
  judge(sent: Pairs, authorization: string | undefined): Give | undefined {
    const get = readOnce(sent, TOKEN_NAMES);
    const client = get && this.#proven(get, authorization);
    if (!client) return undefined;
    switch (get('grant_type')) {
      case 'authorization_code':
        return this.#judgeCode(client, get);
      case 'refresh_token':
        return this.#judgeRefresh(client, get);
      case DEVICE_GRANT:
        return this.#judgeDevice(client, get);
      default:
        return undefined;
    }
  }

  /** Notes a revocation that was answered with 200. @returns the app that has proved itself */
  revoke(sent: Pairs, authorization: string | undefined): Client | undefined {
    const get = readOnce(sent, REVOKE_NAMES);
    const client = get && this.#proven(get, authorization);
    const token = get?.('token') ?? '';
    for (const family of this.families) {
      if (family.client === client && (family.access === token || isOf(family, token)))
        family.isAlive = false;
    }
    return client;
  }

  #judgeCode(client: Client, get: Get): Give | undefined {
    if (!get('redirect_uri')) return undefined;
    const code = this.codes.find((known) => known.code === get('code') && known.client === client);
    if (!code) return undefined;
    if (code.isUsed) {
      for (const family of this.families) if (family.code === code.code) family.isAlive = false;
      return undefined;
    }
    const verifier = code.withChallenge ? VERIFIER : undefined;
    if (get('redirect_uri') !== CALLBACK || get('code_verifier') !== verifier) return undefined;
    return (tokens) => {
      code.isUsed = true;
      this.#begin(client, tokens, code.code);
    };
  }

  #judgeRefresh(client: Client, get: Get): Give | undefined {
    const token = get('refresh_token') ?? '';
    const family = this.families.find((known) => known.client === client && isOf(known, token));
    if (!family || (get('scope') ?? 'all') !== 'all') return undefined;
    if (family.refresh !== token) family.isAlive = false;
    if (!family.isAlive) return undefined;
    return ({ access_token, refresh_token }) => {
      this.former.push(family.refresh, family.access);
      family.access = access_token;
      family.refresh = refresh_token;
    };
  }

  #judgeDevice(client: Client, get: Get): Give | undefined {
    const device = this.devices.find(({ deviceCode }) => deviceCode === get('device_code'));
    if (device?.client !== client || device.state !== 'allowed') return undefined;
    return (tokens) => {
      device.state = 'used';
      this.#begin(client, tokens, undefined);
    };
  }

  #begin(client: Client, { access_token, refresh_token }: Tokens, code: string | undefined): void {
    this.families.push({ client, code, access: access_token, refresh: refresh_token, isAlive: true });
  }

  /** The app that the request proves to be from. */
  #proven(get: Get, authorization: string | undefined): Client | undefined {
    let [id, secret] = [get('client_id'), get('client_secret')];
    if (authorization !== undefined) {
      const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
      const [idInHeader, secretInHeader] = text.split(':');
      if (secret !== undefined || (id !== undefined && id !== idInHeader)) return undefined;
      [id, secret] = [idInHeader, secretInHeader || undefined];
    }
    const client = this.clients.find(({ client_id }) => client_id === id);
    if (!client?.client_secret) return client;
    if (secret === undefined) return get('grant_type') === DEVICE_GRANT ? client : undefined;
    return secret === client.client_secret ? client : undefined;
  }
}

const isOf = (family: Family, token: string) =>
  token.length === LENGTH && token.slice(0, HANDLE) === family.refresh.slice(0, HANDLE);

type Get = (name: string) => string | undefined;

/** @returns undefined if a parameter is there twice, or holds NUL. An empty one is none. */
function readOnce(sent: Pairs, names: readonly string[]): Get | undefined {
  const known = sent.filter(([name]) => names.includes(name));
  if (new Set(known.map(([name]) => name)).size < known.length) return undefined;
  if (known.some(([, value]) => value.includes('\0'))) return undefined;
  return (name) => known.find((pair) => pair[0] === name)?.[1] || undefined;
}
