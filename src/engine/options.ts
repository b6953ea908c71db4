/** The operator's options for verification: the config's section `live`, with all defaults. */

/** Limits for the mail hosts of one organisation. */
export interface PerHost {
  /** Conversations at the same time, in all processes together. */
  readonly connections: number;
  /** Conversations that begin within a minute, in all processes together. */
  readonly perMinute: number;
  /** Recipients in one conversation. */
  readonly recipientsPerConnection: number;
}

export interface EngineOptions {
  /** The name in EHLO. The reverse DNS of the machine's IP address should be this name. */
  readonly helo: string;
  /** The sender in MAIL FROM. The empty string is the null sender. */
  readonly mailFrom: string;
  /** Name servers as `ip:port` or `[ip]:port`. @default the system's */
  readonly dns: readonly string[] | undefined;
  /** The port of mail servers. Tests use another one than 25. */
  readonly smtpPort: number;
  /** The machine's IP addresses from which conversations start, in turn. If empty, the system chooses. */
  readonly localAddresses: readonly string[];
  /** `socks5://user:password@host:port`. Conversations use them in turn. If empty, they use no proxy. */
  readonly socksProxies: readonly string[];
  readonly perHost: PerHost;
  /** Seconds until a batch repeats a verification after a temporary refusal. */
  readonly greylistRetries: readonly number[];
  /** Whether batches check for accept-all if their request does not say. */
  readonly catchAllByDefault: boolean;
  /** Whether to contact mail hosts on private and loopback IP addresses. For tests and the operator's own servers. */
  readonly allowPrivateAddresses: boolean;
}

export const DEFAULT_ENGINE_OPTIONS: Omit<EngineOptions, 'helo' | 'mailFrom'> = {
  dns: undefined,
  smtpPort: 25,
  localAddresses: [],
  socksProxies: [],
  perHost: { connections: 2, perMinute: 60, recipientsPerConnection: 20 },
  greylistRetries: [300, 900],
  catchAllByDefault: true,
  allowPrivateAddresses: false,
};
