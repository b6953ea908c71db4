/** Checks whether this machine can reach mail servers. Most clouds close port 25 until a customer asks to open it. */
import { findMailHosts } from '../dns/mail-hosts.ts';
import type { Resolver } from '../dns/resolver.ts';
import type { EngineOptions } from '../options.ts';
import type { Signal } from '../signal.ts';
import { type Finding, finding } from './finding.ts';

/** Tries to open a connection, and closes it in an orderly way. */
export type TryConnect = (ip: string, signal: Signal) => Promise<ConnectOutcome>;
export type ConnectOutcome =
  /** `localIp` is the machine's end of the connection, if it is known. */
  | { readonly kind: 'open'; readonly localIp?: string | undefined }
  /** Refused, unreachable or silent. `why` describes it in words. */
  | { readonly kind: 'closed'; readonly why: string };

export interface PortParts {
  readonly options: Pick<EngineOptions, 'smtpPort' | 'allowPrivateAddresses'>;
  readonly resolver: Resolver;
  readonly connect: TryConnect;
}

export interface PortReport {
  readonly finding: Finding;
  /** Several large providers were looked up, and none could be reached. */
  readonly isClosed: boolean;
  /** The machine's end of a connection that was opened. */
  readonly localIp: string | undefined;
}

/** Providers with many mail servers in many places. If all of them fail, the port is probably closed. */
const WELL_KNOWN = ['gmail.com', 'outlook.com', 'icloud.com', 'yahoo.com'];
/** The port counts as closed if so many of them fail. */
const CERTAIN = 3;

export async function checkPort(parts: PortParts, signal: Signal): Promise<PortReport> {
  const outcomes = (await Promise.all(WELL_KNOWN.map((domain) => tryDomain(domain, parts, signal)))).filter(
    (outcome) => outcome !== undefined,
  );
  const { smtpPort } = parts.options;
  const name = `port ${smtpPort}`;
  const open = outcomes.find(({ kind }) => kind === 'open');
  if (open?.kind === 'open') {
    const well = finding(name, 'ok', 'Mail servers of large providers can be reached.');
    return { finding: well, isClosed: false, localIp: open.localIp };
  }
  const closed = outcomes.filter((outcome) => outcome.kind === 'closed');
  // Providers with the same IP address count once: some name servers give the same answer to every question.
  const isClosed = new Set(closed.map(({ ip }) => ip)).size >= CERTAIN;
  const reasons = [...new Set(closed.map(({ why }) => why))].join(', ');
  const text = isClosed
    ? `No mail server of ${closed.length} large providers can be reached (${reasons}).`
    : `Only ${closed.length} of ${WELL_KNOWN.length} large providers could be looked up, and none was reached.`;
  const advice = isClosed
    ? `Ask your hosting company to open outgoing port ${smtpPort}, or set live.socksProxies. Live keys get a 503 until then.`
    : 'Check the name servers first.';
  const found = finding(name, isClosed ? 'problem' : 'unknown', text, advice);
  return { finding: found, isClosed, localIp: undefined };
}

/** @returns `undefined` if the DNS gives no mail server */
async function tryDomain(
  domain: string,
  { options: { allowPrivateAddresses }, resolver, connect }: PortParts,
  signal: Signal,
): Promise<(ConnectOutcome & { readonly ip: string }) | undefined> {
  const options = { resolver, allowPrivateAddresses, useIpv6: false, random: Math.random };
  const route = await findMailHosts(domain, options, signal);
  const ip = route.kind === 'hosts' ? route.hosts[0]?.ips[0] : undefined;
  return ip === undefined ? undefined : { ...(await connect(ip, signal)), ip };
}
