/** Checks everything outside the service that verification depends on, and gives advice. */
import type { Resolver } from '../dns/resolver.ts';
import type { EngineOptions } from '../options.ts';
import type { Signal } from '../signal.ts';
import { checkBlockLists } from './block-lists.ts';
import { type Finding, finding } from './finding.ts';
import { checkHelo, checkSender } from './identity.ts';
import { checkPort, type PortParts } from './port.ts';

export interface DoctorParts extends PortParts {
  readonly options: EngineOptions & { readonly blockLists: readonly string[] };
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** True only if it is certain: several large providers were looked up, and none could be reached. */
  readonly isPortClosed: boolean;
}

/** @param signal ends it. Checks that are not finished by then are `unknown`. */
export async function diagnose(parts: DoctorParts, signal: Signal): Promise<Diagnosis> {
  const { options, resolver } = parts;
  const { allowPrivateAddresses, localAddresses, helo } = options;
  const report = await checkPort(parts, signal);
  const seen = report.localIp === undefined ? [] : [report.localIp];
  const localIps = localAddresses.length > 0 ? localAddresses : seen;
  const identity = { ...options, resolver, localIps };
  const [names, sender, helos] = await Promise.all([
    checkHelo(identity, signal),
    checkSender(identity, signal),
    resolver.a(helo, signal),
  ]);
  const ips = localIps.length > 0 ? localIps : helos.kind === 'found' ? helos.records : [];
  const lists = await checkBlockLists(options.blockLists, ips, resolver, allowPrivateAddresses, signal);
  return {
    findings: [await checkResolver(resolver, signal), report.finding, ...names, ...sender, ...lists],
    isPortClosed: report.isClosed,
  };
}

/** Looks up a domain that every working name server knows. */
async function checkResolver(resolver: Resolver, signal: Signal): Promise<Finding> {
  const lookup = await resolver.mx('gmail.com', signal);
  if (lookup.kind === 'found') return finding('name servers', 'ok', 'The name servers answer.');
  if (lookup.kind === 'no-answer' || lookup.kind === 'failed') {
    const said = lookup.kind === 'failed' ? `say ${lookup.code}` : 'do not answer';
    const advice = 'Check the name servers of this machine, or set live.dns to name servers that answer it.';
    return finding('name servers', 'problem', `The name servers ${said}.`, advice);
  }
  const advice = 'They do not know the public DNS. Set live.dns to name servers that do.';
  return finding('name servers', 'problem', 'The name servers say that gmail.com takes no mail.', advice);
}
