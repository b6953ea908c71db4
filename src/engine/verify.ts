/** Verifies one address: address → facts → DNS → mail servers → verdict. The only file that knows every step. */
import type { VerificationResult } from '../protocol/result.ts';
import { splitAddress } from './address/parts.ts';
import { type Budget, createBudget } from './budget.ts';
import { findMailHosts, type MailHost, type MailRoute } from './dns/mail-hosts.ts';
import type { Resolver } from './dns/resolver.ts';
import type { DomainFacts } from './domains/domain-facts.ts';
import { createDomainQuestion, type DomainQuestion } from './domains/domain-question.ts';
import { type AboutAddress, describeAddress } from './facts/about.ts';
import type { EngineFacts, ListedMailServer } from './facts/facts.ts';
import { isLargeDomain } from './facts/large-providers.ts';
import { type MailOrganisation, organisationOf } from './providers.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import type { Signal } from './signal.ts';
import { LEADS_ON } from './smtp/ask-host.ts';
import { impossibleLocalPart } from './smtp/impossible.ts';
import type { MailClient, MailQuestion, Observation } from './smtp/mail-client.ts';
import { type Ending, judge } from './verdict.ts';
import type { EvidenceStep, VerificationRequest, Verified } from './verifier.ts';

/** The parts that a verification uses. */
export interface VerifyParts {
  /** Read for each verification, because the operator may change the lists. */
  readonly facts: EngineFacts;
  readonly resolver: Resolver;
  readonly mailClient: MailClient;
  readonly domainFacts: DomainFacts;
  readonly allowPrivateAddresses: boolean;
  readonly usesIpv6: (signal: Signal) => Promise<boolean>;
  /** Ends every verification when the engine closes. */
  readonly closing: Signal;
  /** @returns a number from 0 to 1 (1 excluded) */
  readonly random: () => number;
  /** Called with faults that a result can only call `unexpected_error`. */
  readonly onFault: (error: unknown) => void;
  /** Called with the observation of each address at each mail host. */
  readonly onAsked?: ((organisation: MailOrganisation, observation: Observation) => void) | undefined;
}

/** One verification: the address, the wishes of its request, and what every step uses. */
interface Verification
  extends Pick<VerificationRequest, 'smtp' | 'acceptAll' | 'calledOff' | 'inBackground'> {
  readonly about: AboutAddress;
  readonly parts: VerifyParts;
  readonly budget: Budget;
  readonly recorder: Recorder;
}

type NamedHost = Pick<MailHost, 'name'>;

/** The end of a verification, and its mail server. */
interface Outcome {
  readonly ending: Ending;
  /** The host that was tried last, or the first host if none was tried. */
  readonly host?: NamedHost;
  readonly organisation?: MailOrganisation;
  /** What is known of the domain. */
  readonly knownAcceptAll?: boolean | null;
  /** Whether a list contains the domain's first mail server. */
  readonly isDisposable?: boolean;
}

/**
 * Never rejects.
 *
 * @param wholeMs after this time, the result is what is known so far. The caller may stop waiting earlier
 * @param listen called with each step as it is made
 */
export async function verify(
  request: VerificationRequest,
  parts: VerifyParts,
  wholeMs: number,
  listen?: (step: EvidenceStep) => void,
): Promise<Verified> {
  const recorder = createRecorder(listen);
  const budget = createBudget(wholeMs, request.timeoutMs, parts.closing);
  const about = describeSafely(request.address, parts);
  const verification: Verification = { ...request, about, parts, budget, recorder };
  let outcome: Outcome;
  try {
    outcome = await findOut(verification);
  } catch (error) {
    parts.onFault(error);
    outcome = { ending: { kind: 'fault' } };
  } finally {
    budget.end();
  }
  const result = toResult(verification, outcome);
  // A copy, because the conversation may still record its QUIT, and evidence ends with the verdict.
  return { result, evidence: [...recorder.steps] };
}

/** Describes the address without lists, if a lookup in the lists throws. */
function describeSafely(address: string, { facts, onFault }: VerifyParts): AboutAddress {
  try {
    return describeAddress(address, facts);
  } catch (error) {
    onFault(error);
    return describeAddress(address, NO_FACTS);
  }
}

const no = () => false;
const NO_FACTS: EngineFacts = {
  ...{ isDisposable: no, isFree: no, isRole: no, isBlocked: no },
  ...{ findListed: () => undefined, suggestAddress: () => null },
};

async function findOut(verification: Verification): Promise<Outcome> {
  const { about, parts, recorder } = verification;
  if (!about.isAddress) return { ending: { kind: 'invalid-address' } };
  const refusal = refuseName(about);
  if (refusal) {
    recorder.note({ stage: 'address', text: refusal });
    return { ending: { kind: 'nowhere' } };
  }
  const found = await askDns(verification);
  if ('ending' in found) return found;
  const preferred = found.kind === 'hosts' ? found.preferred : [found.name];
  const listed = parts.facts.findListed(preferred, about.asciiDomain);
  if (listed) recorder.note({ stage: 'dns', text: sayListed(listed) });
  if (listed?.as === 'blocked') return { ending: { kind: 'nowhere' } };
  const outcome = await askFound(verification, found);
  return { ...outcome, isDisposable: listed !== undefined };
}

const sayListed = ({ as, name, list }: ListedMailServer) =>
  as === 'blocked'
    ? `The operator has blocked the mail server ${name} (${list}).`
    : `The mail server ${name} is one of disposable mailboxes (${list}).`;

type FoundRoute = Extract<MailRoute, { kind: 'hosts' | 'beyond-ipv4' }>;

async function askFound(verification: Verification, found: FoundRoute): Promise<Outcome> {
  const { about, smtp, acceptAll, inBackground = false, parts, budget, recorder } = verification;
  if (!smtp) return describe(found.kind === 'hosts' ? found.hosts[0]! : found, { kind: 'not-asked' });
  if (found.kind === 'beyond-ipv4') return describe(found, { kind: 'unreachable' });
  const domain = { name: about.asciiDomain, organisation: organisationsOf(found.hosts) };
  const question = createDomainQuestion({
    ...{ facts: parts.domainFacts, domain, inBackground, budget, recorder },
    mayAsk: asksImpossible(organisationOf(found.hosts[0]!.name), acceptAll),
  });
  if (await question.isAskedElsewhere()) return describe(found.hosts[0]!, { kind: 'fact-awaited' });
  const outcome = await askMailHosts(verification, found.hosts, question);
  // A host whose lookup failed may speak SMTP.
  const isOpen = outcome.ending.kind === 'not-smtp' && found.hasOthers;
  return isOpen ? { ...outcome, ending: { kind: 'unreachable' } } : outcome;
}

/** Why a domain with this name takes no mail, or `undefined`. */
function refuseName({ asciiDomain, isReachable, isBlocked }: AboutAddress): string | undefined {
  if (asciiDomain === '') return 'An IP address takes the place of the domain.';
  if (!isReachable) return 'No public mail can reach a domain with this name.';
  return isBlocked ? 'The operator has blocked the domain (block.txt).' : undefined;
}

async function askDns({ about, parts, budget, recorder }: Verification): Promise<Outcome | FoundRoute> {
  const { signal } = budget;
  const since = recorder.now();
  const useIpv6 = await parts.usesIpv6(signal);
  const route = await findMailHosts(about.asciiDomain, { ...parts, useIpv6 }, signal);
  recorder.note({ stage: 'dns', text: sayRoute(route) }, since);
  if (route.kind === 'hosts' || route.kind === 'beyond-ipv4') return route;
  return { ending: { kind: ENDING_WITHOUT_HOST[route.kind] } };
}

const ENDING_WITHOUT_HOST = { nowhere: 'nowhere', failed: 'dns-failed', 'no-answer': 'dns-silent' } as const;

function sayRoute(route: MailRoute): string {
  if (route.kind === 'beyond-ipv4') return `${route.name}: IPv6 only`;
  if (route.kind === 'no-answer') return 'The name servers did not answer.';
  if (route.kind !== 'hosts') return route.why;
  return `Mail hosts: ${route.hosts.map(({ name, ips }) => `${name} (${ips.join(', ')})`).join(', ')}`;
}

/**
 * Tries one host after the other, until one decides.
 *
 * If a server asks for fewer conversations, or pacing holds one back, the organisation's other hosts are skipped.
 */
async function askMailHosts(
  { about, acceptAll, calledOff, inBackground = false, parts, budget, recorder }: Verification,
  hosts: readonly MailHost[],
  domain: DomainQuestion,
): Promise<Outcome> {
  const leftAlone = new Set<string>();
  let last: Outcome | undefined;
  for (const [index, host] of hosts.entries()) {
    const organisation = organisationOf(host.name);
    if (leftAlone.has(organisation.id)) continue;
    if (budget.signal.aborted) {
      last = tellsMore(last, describe(host, { kind: 'out-of-time' }));
      break;
    }
    const others = hosts.slice(index + 1).some((other) => !leftAlone.has(organisationOf(other.name).id));
    const question: MailQuestion = {
      ...{ host, organisation, calledOff, inBackground, recorder },
      recipient: recipientOf(about),
      impossible: asksImpossible(organisation, acceptAll) ? impossibleAt(about.asciiDomain) : undefined,
      probing: domain,
      signal: budget.signal,
      greetingMs: others ? budget.shareMs() : budget.leftMs(),
    };
    const observation = await parts.mailClient.ask(question);
    parts.onAsked?.(organisation, observation);
    const outcome = { ending: observation, host, organisation };
    // What was cut off because the service stops says nothing about the domain.
    await domain.end(parts.closing.aborted);
    if (observation.kind === 'answered' && observation.reading.meaning === 'accepted')
      return organisation.acceptsAll ? outcome : withFact(outcome, domain);
    if (!LEADS_ON.includes(observation.kind)) return outcome;
    if (asksForRest(observation)) leftAlone.add(organisation.id);
    last = tellsMore(last, outcome);
  }
  // Always set: at least one host was tried, or the time was over before the first.
  return last!;
}

async function withFact(outcome: Outcome, domain: DomainQuestion): Promise<Outcome> {
  const concluded = await domain.conclude();
  if (concluded === 'asked-elsewhere') return { ...outcome, ending: { kind: 'fact-awaited' } };
  if (concluded === 'held-back') return { ...outcome, ending: { kind: 'probe-held-back' } };
  return { ...outcome, knownAcceptAll: concluded.acceptsAll };
}

/** Who runs the mail servers of a domain, in an order that does not depend on theirs. */
const organisationsOf = (hosts: readonly NamedHost[]): string =>
  [...new Set(hosts.map(({ name }) => organisationOf(name).id))].sort().join(' ');

function asksForRest(observation: Observation): boolean {
  if (observation.kind === 'held-back') return true;
  return observation.kind === 'not-welcome' && observation.slowDown;
}

/**
 * A host that refused is more informative than an unreachable one, in any order. A host that does not speak SMTP says
 * nothing about a domain with other hosts.
 */
function tellsMore(before: Outcome | undefined, now: Outcome): Outcome {
  if (!before) return now;
  if (before.ending.kind === 'not-smtp') return now;
  return SAYS_LITTLE.includes(now.ending.kind) ? before : now;
}

const SAYS_LITTLE: readonly Ending['kind'][] = ['not-smtp', 'unreachable', 'out-of-time'];

function describe({ name }: NamedHost, ending: Ending): Outcome {
  return { ending, host: { name }, organisation: organisationOf(name) };
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** The domain always has an ASCII form, so only a non-ASCII local part needs SMTPUTF8 (RFC 6531). */
function recipientOf({ local, asciiDomain }: AboutAddress): string {
  return `${isAscii(local) ? local : local.normalize('NFC')}@${asciiDomain}`;
}

/** Where every address is accepted, so is the impossible one. Where that may be, an acceptance alone proves nothing. */
const asksImpossible = ({ acceptsAll, mayAcceptAll }: MailOrganisation, isWanted: boolean) =>
  !acceptsAll && (isWanted || mayAcceptAll === true);

const impossibleAt = (domain: string) => `${impossibleLocalPart(domain)}@${domain}`;

/** Drops the suggestion if the domain has a mail server, unless it looks like a mistyped large provider. */
function suggestionFor({ suggestion }: AboutAddress, host: NamedHost | undefined): string | null {
  return suggestion !== null && host && !isLargeDomain(splitAddress(suggestion).domain) ? null : suggestion;
}

function toResult(
  { about: described, acceptAll: wantsAcceptAll, recorder }: Verification,
  { ending, host, organisation, knownAcceptAll = null, isDisposable = false }: Outcome,
): VerificationResult {
  // A disposable domain is not a free provider.
  const about = isDisposable ? { ...described, isDisposable, isFree: false } : described;
  const verdict = judge(ending, {
    ...about,
    providerAcceptsAll: organisation?.acceptsAll ?? false,
    knownAcceptAll,
    wantsAcceptAll,
    providerMayAcceptAll: organisation?.mayAcceptAll ?? false,
  });
  const { reason, state, score, rule } = verdict;
  recorder.note({ stage: 'verdict', rule, text: `${reason}, so ${state}, score ${score}` });
  return {
    accept_all: verdict.acceptAll,
    did_you_mean: suggestionFor(about, host),
    disposable: about.isDisposable,
    domain: about.domain,
    duration: recorder.now() / 1000,
    email: about.address,
    first_name: about.name.firstName,
    free: about.isFree,
    full_name: about.name.fullName,
    gender: null,
    last_name: about.name.lastName,
    mailbox_full: verdict.mailboxFull,
    mx_record: host?.name ?? '',
    no_reply: about.isNoReply,
    reason,
    role: about.isRole,
    score,
    smtp_provider: organisation?.provider ?? null,
    state,
    tag: about.tag,
    user: about.user,
  };
}
