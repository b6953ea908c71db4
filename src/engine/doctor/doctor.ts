/** Checks everything outside the service that verification depends on, and gives advice. */
import type { Resolver } from '../dns/resolver.ts';
import type { EngineOptions } from '../options.ts';
import { checkBlockLists } from './block-lists.ts';
import { type Finding, finding } from './finding.ts';
import { checkHelo, checkSender } from './identity.ts';
import { checkPort, type TryConnect } from './port.ts';

export interface DoctorParts {
  readonly options: EngineOptions & { readonly blockLists: readonly string[] };
  readonly resolver: Resolver;
  readonly connect: TryConnect;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** True only if it is certain: several large providers were looked up, and none could be reached. */
  readonly isPortClosed: boolean;
}

/** @param signal ends it. Checks that are not finished by then are `unknown`. */
export async function diagnose(parts: DoctorParts, signal: AbortSignal): Promise<Diagnosis> {
  const { options, resolver } = parts;
  const { allowPrivateAddresses, localAddresses, helo, mailFrom } = options;
  const report = await checkPort(portParts(parts), signal);
  const seen = report.localIp === undefined ? [] : [report.localIp];
  const localIps = localAddresses.length > 0 ? localAddresses : seen;
  const identity = { resolver, helo, mailFrom, localIps, allowPrivateAddresses };
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

function portParts({ options, resolver, connect }: DoctorParts) {
  const { smtpPort: port, allowPrivateAddresses } = options;
  return { resolver, connect, port, allowPrivateAddresses };
}

/** Looks up a domain that every working name server knows. */
async function checkResolver(resolver: Resolver, signal: AbortSignal): Promise<Finding> {
  const lookup = await resolver.mx('gmail.com', signal);
  if (lookup.kind === 'found') return finding('name servers', 'ok', 'The name servers answer.');
  if (lookup.kind === 'no-answer' || lookup.kind === 'failed') {
    return finding(
      'name servers',
      'problem',
      lookup.kind === 'failed' ? `The name servers say ${lookup.code}.` : 'The name servers do not answer.',
      'Check the name servers of this machine, or set live.dns to name servers that answer it.',
    );
  }
  return finding(
    'name servers',
    'problem',
    'The name servers say that gmail.com takes no mail.',
    'They do not know the public DNS. Set live.dns to name servers that do.',
  );
}
