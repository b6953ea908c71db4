/** What an operator decides about verification: the config's section `live`, with every default filled in. */

/** How hard one organisation's mail hosts may be used. */
export interface PerHost {
  /** Conversations at the same time, in all processes together. */
  readonly connections: number;
  /** Conversations that begin within a minute, in all processes together. */
  readonly perMinute: number;
  /** Recipients that are asked about in one conversation. */
  readonly recipientsPerConnection: number;
}

export interface EngineOptions {
  /** The name in EHLO. The IP address of the machine should have it as its name in the DNS. */
  readonly helo: string;
  /** The sender in MAIL FROM. The empty string is the null sender. */
  readonly mailFrom: string;
  /** Name servers as `ip:port` or `[ip]:port`. @default the system's */
  readonly dns: readonly string[] | undefined;
  /** The port of mail servers. Tests use another one than 25. */
  readonly smtpPort: number;
  /** The machine's own IP addresses that conversations begin at, in turn. Empty: the system chooses. */
  readonly localAddresses: readonly string[];
  /** `socks5://user:password@host:port`. Conversations go through them in turn. Empty: directly. */
  readonly socksProxies: readonly string[];
  readonly perHost: PerHost;
  /** Seconds until a refusal that may be temporary is asked about once more, in batches. */
  readonly greylistRetries: readonly number[];
  /** Whether accept-all is looked for when the request does not say. */
  readonly catchAllByDefault: boolean;
  /** Whether mail hosts on private and loopback addresses are contacted. For tests and mail servers of one's own. */
  readonly allowPrivateAddresses: boolean;
}

export const DEFAULT_ENGINE_OPTIONS: Omit<EngineOptions, 'helo' | 'mailFrom'> = {
  dns: undefined,
  smtpPort: 25,
  localAddresses: [],
  socksProxies: [],
  perHost: { connections: 2, perMinute: 60, recipientsPerConnection: 20 },
  greylistRetries: [300, 900],
  catchAllByDefault: false,
  allowPrivateAddresses: false,
};
