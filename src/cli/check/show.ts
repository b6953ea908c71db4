/** How `check` prints verdicts and steps for people. */
import type { EvidenceStep, Verified } from '../../engine/verifier.ts';

/** Removes control characters, because text from mail servers could control the terminal. */
const plain = (text: string) => text.replace(/\p{Cc}+/gu, ' ');

export function showStep({ atMs, tookMs, stage, server, code, rule, text }: EvidenceStep): string {
  const time = `${(atMs / 1000).toFixed(3)} s`.padStart(9);
  const parts = [
    server,
    // The text of a reply may already begin with its code.
    code === undefined || text.startsWith(String(code)) ? undefined : String(code),
    text,
    rule === undefined ? undefined : `[${rule}]`,
    tookMs === undefined ? undefined : `(${tookMs} ms)`,
  ];
  return plain(`${time}  ${stage.padEnd(8)}  ${parts.filter((part) => part !== undefined).join('  ')}`);
}

/** The verdict, with its evidence below it. */
export function showVerified({ result, evidence }: Verified): string {
  const { email, state, reason, score, duration } = result;
  const traits = (['free', 'role', 'disposable', 'no_reply', 'mailbox_full', 'accept_all'] as const)
    .filter((name) => result[name] === true)
    .map((name) => name.replace('_', ' '));
  const more = [
    ...(traits.length > 0 ? [`  ${traits.join(', ')}`] : []),
    ...(result.did_you_mean === null ? [] : [`  did you mean ${result.did_you_mean}?`]),
  ];
  const head = `${email}  ${state}  ${reason}  score ${score}  ${duration.toFixed(2)} s`;
  return `${[plain(head), ...more.map(plain), ...evidence.map(showStep)].join('\n')}\n`;
}
