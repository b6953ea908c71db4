/**
 * Asks each provider about the operator's own mailboxes and a name that cannot exist, as a verification does: within the
 * limits of `perHost`, and without sending mail.
 */
import type { Engine } from '../../../engine/engine.ts';
import { organisationOf } from '../../../engine/providers.ts';
import { forTrace } from '../../../engine/replies/trace.ts';
import { CLOSING } from '../../../engine/smtp/exchange.ts';
import { impossibleLocalPart } from '../../../engine/smtp/impossible.ts';
import { FULL, HELD_BACK, NO_SUCH_MAILBOX } from '../../../engine/verdict.ts';
import type { EvidenceStep, Verified } from '../../../engine/verifier.ts';
import { inTurns } from '../../in-turns.ts';
import type { SurveyedDomain } from './read-mailboxes.ts';

/** What a provider says of one name. */
export interface Said {
  /** `accepted`, or the line of the engine's table. */
  readonly outcome: string;
  /** The code of the reply to RCPT. Null without a reply. */
  readonly code: number | null;
  /** Without addresses. Null without a reply. */
  readonly reply: string | null;
}

export interface Row {
  readonly domain: string;
  readonly provider: string | null;
  readonly mail_server: string | null;
  readonly known: Said | null;
  readonly unknown: Said;
  readonly full: Said | null;
  /** Null if the replies do not tell. */
  readonly accept_all: boolean | null;
  readonly greylist: boolean | null;
  readonly starttls: boolean | null;
  readonly date: string;
}

export interface SurveyOptions {
  readonly engine: Pick<Engine, 'verifyWithin'>;
  /** Seconds before each further question about a name whose refusal was temporary. */
  readonly retries: readonly number[];
  /** Tells the operator about a long wait. */
  readonly say: (line: string) => void;
}

/** The domains that are asked at once. Pacing holds their conversations back. */
const AT_ONCE = 50;
const PATIENCE_MS = 10_000;

const ACCEPTED = 'accepted';

const KINDS = ['known', 'unknown', 'full'] as const;
type Kind = (typeof KINDS)[number];

/** A name, with the answers so far: the latest is last. */
interface Asked {
  readonly domain: string;
  readonly kind: Kind;
  readonly address: string;
  readonly answers: Answer[];
}

interface Answer extends Pick<Verified, 'evidence'> {
  readonly said: Said;
  readonly mailServer: string;
}

export async function runSurvey(
  domains: readonly SurveyedDomain[],
  { engine, retries, say }: SurveyOptions,
): Promise<readonly Row[]> {
  const all = domains.map(({ domain, known, full }): readonly Asked[] => {
    const unknown = `${impossibleLocalPart(domain)}@${domain}`;
    return Object.entries({ known, unknown, full }).flatMap(([kind, address]) =>
      address === undefined ? [] : [{ domain, kind: kind as Kind, address, answers: [] }],
    );
  });
  const ask = async (names: readonly Asked[]) => {
    for (const { address, answers } of names) {
      const request = { address, smtp: true, acceptAll: false, timeoutMs: PATIENCE_MS };
      const { result, evidence } = await engine.verifyWithin(request);
      answers.push({ evidence, said: readAnswer(evidence, address), mailServer: result.mx_record });
    }
  };
  await inTurns(all, AT_ONCE, ask);
  for (const seconds of retries) {
    const again = all.map((names) => names.filter(isOpen)).filter((names) => names.length > 0);
    if (again.length === 0) break;
    say(
      `${again.length} of ${all.length} domains will be asked again in ${seconds} s, because answers may change.`,
    );
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    await inTurns(again, AT_ONCE, ask);
  }
  const serversWithTls = new Map(all.flat().flatMap(({ answers }) => answers.flatMap(tlsOf)));
  return all.map((names) => toRow(names, serversWithTls));
}

const last = ({ answers }: Asked): Answer => answers.at(-1)!;

/** A full mailbox has a code of either kind. */
const isTemporary = ({ outcome, code }: Said) =>
  outcome !== ACCEPTED && outcome !== FULL && code !== null && code < 500;

/** Whether the name should be asked about again. */
const isOpen = (asked: Asked): boolean =>
  isTemporary(last(asked).said) || last(asked).said.outcome === HELD_BACK;

function readAnswer(evidence: readonly EvidenceStep[], address: string): Said {
  const { code = null, text = '' } = evidence.filter(({ stage }) => stage === 'rcpt').at(-1) ?? {};
  return {
    outcome: code === 250 || code === 251 ? ACCEPTED : evidence.at(-1)!.rule!,
    code,
    // `RCPT TO: "5.1.1 No"`
    reply: code === null ? null : forTrace(text.slice(text.indexOf('"') + 1, -1), [address]),
  };
}

/** Whether each server has STARTTLS. A conversation that was taken over does not show it. */
function tlsOf({ evidence }: Answer): [string, boolean][] {
  const { server } = evidence.find(({ stage, code }) => stage === 'ehlo' && code === 250) ?? {};
  const hasTls = evidence.some(({ stage, code }) => stage === 'starttls' && code === 220);
  return server === undefined ? [] : [[server, hasTls]];
}

function toRow(names: readonly Asked[], serversWithTls: ReadonlyMap<string, boolean>): Row {
  const said = (wanted: Kind) => {
    const asked = names.find(({ kind }) => kind === wanted);
    return asked ? last(asked).said : null;
  };
  const [known, unknown, full] = [said('known'), said('unknown')!, said('full')];
  const { evidence, mailServer } = last(names[0]!);
  const { server = '' } = evidence.find(({ stage }) => stage === 'rcpt') ?? {};
  return {
    domain: names[0]!.domain,
    provider: mailServer === '' ? null : organisationOf(mailServer).id,
    mail_server: mailServer === '' ? null : mailServer,
    ...{ known, unknown, full },
    accept_all: acceptsAll(known ?? full, unknown),
    greylist: isGreylisting(names),
    starttls: serversWithTls.get(server) ?? null,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** A server that accepts a name that cannot exist accepts every name. One that refuses all names may refuse us. */
function acceptsAll(own: Said | null, unknown: Said): boolean | null {
  if (unknown.outcome === ACCEPTED) return true;
  const isKnown = own?.outcome === ACCEPTED || own?.outcome === FULL;
  return isKnown && unknown.outcome === NO_SUCH_MAILBOX ? false : null;
}

/** Whether a name got a definite reply after a temporary one. Null if none of the names got a definite reply. */
function isGreylisting(names: readonly Asked[]): boolean | null {
  const isDefinite = (said: Said) => said.code !== null && !isTemporary(said);
  const definite = names.filter((asked) => isDefinite(last(asked).said));
  // 421 ends a conversation for any name.
  const isGreylisted = ({ said }: Answer) => isTemporary(said) && said.code !== CLOSING;
  return definite.length === 0 ? null : definite.some(({ answers }) => answers.some(isGreylisted));
}
