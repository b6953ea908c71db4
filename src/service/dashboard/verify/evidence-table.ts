/** The evidence of a result: a table of the steps, with a time line. */
import type { EvidenceStage, EvidenceStep } from '../../../engine/verifier.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { dataTable, numbers } from '../data-table.ts';

const STAGES: Readonly<Record<EvidenceStage, string>> = {
  address: 'Address',
  dns: 'Name servers (DNS)',
  wait: 'Waiting for a turn',
  connect: 'Connection',
  banner: 'Greeting of the server',
  ehlo: 'Our greeting (EHLO)',
  starttls: 'Encryption (STARTTLS)',
  mail: 'Sender (MAIL FROM)',
  rcpt: 'Recipient (RCPT TO)',
  probe: 'An address that cannot exist',
  rset: 'Reset (RSET)',
  quit: 'Goodbye (QUIT)',
  verdict: 'Verdict',
};

/** The meaning of the rules that classify replies, by the start of their names. The rules are in `replies/classify.ts`. */
const RULES = [
  ['accepted', 'The server accepts the recipient.'],
  ['about us', 'The refusal is about this service. It says nothing about the mailbox.'],
  ['no such mailbox', 'The server says that it has no such mailbox.'],
  ['mailbox full', 'The server says that the mailbox is full.'],
  ['unsupported address', 'The server cannot take this kind of address.'],
  ['temporary', 'The server asks to come back later.'],
  ['refused', 'The server refuses, and does not say why.'],
] as const;

/** @returns undefined for the rules of the verdict, which are sentences already */
export const sayRule = (rule: string): string | undefined =>
  RULES.find(([prefix]) => rule === prefix || rule.startsWith(`${prefix}:`))?.[1];

export function evidenceTable(steps: readonly EvidenceStep[]): Html {
  const wholeMs = Math.max(1, ...steps.map(({ atMs, tookMs = 0 }) => atMs + tookMs));
  return dataTable({
    ...{ label: 'Steps of the verification', css: 'evidence' },
    caption: 'The steps in order of time. Replies are quoted without addresses.',
    columns: ['Step', { title: 'What was said', css: 'said' }, ...numbers('Began', 'Took'), 'Time line'],
    rows: steps.map((step) => rowOf(step, wholeMs)),
  });
}

function rowOf({ stage, server, code, text, rule, atMs, tookMs }: EvidenceStep, wholeMs: number): Value[] {
  // Replies already begin with their code.
  const isCodeMissing = code !== undefined && !text.startsWith(String(code));
  const step = html`${STAGES[stage]}${server !== undefined && html`<br><span class="note"><bdi>${server}</bdi></span>`}`;
  const said = html`<bdi>${isCodeMissing && `${code} `}${text}</bdi>${rule !== undefined && isOfInterest(rule, stage) && sayRuleOf(rule)}`;
  const took = tookMs === undefined ? '–' : seconds(tookMs);
  return [step, said, seconds(atMs), took, bar(atMs, tookMs ?? 0, wholeMs)];
}

/** An accepted greeting needs no explanation. */
const isOfInterest = (rule: string, stage: EvidenceStage): boolean =>
  rule !== 'accepted' || stage === 'rcpt' || stage === 'probe';

function sayRuleOf(rule: string): Html {
  const meaning = sayRule(rule);
  return html`<br><span class="note">Rule: <code>${rule}</code>${meaning !== undefined && `. ${meaning}`}</span>`;
}

/** The numbers next to the bar have the same content. */
function bar(atMs: number, tookMs: number, wholeMs: number): Html {
  const percent = (ms: number) => `${Math.round((1000 * ms) / wholeMs) / 10}%`;
  // A step that took no time is a thin line.
  return html`<svg class="bar" width="100%" height="12" aria-hidden="true" focusable="false"><rect class="whole" y="5" width="100%" height="2"/><rect x="${percent(Math.min(atMs, wholeMs * 0.98))}" width="${percent(Math.max(tookMs, wholeMs * 0.02))}" height="12" rx="2"/></svg>`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 100 ? 3 : 2)} s`;
