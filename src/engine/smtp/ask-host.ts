/** Verifies one address at one mail host. It tries the host's IP addresses in order, within the time for the greeting. */
import { askIp } from './ask-ip.ts';
import { rcptTo } from './commands.ts';
import type { MailQuestion, Observation } from './observation.ts';
import { nameServer } from './open.ts';
import type { Tools } from './reach.ts';
import { countdown } from './time.ts';

/** Never rejects. */
export async function askHost(tools: Tools, question: MailQuestion): Promise<Observation> {
  const { host, recipient, impossible, recorder } = question;
  try {
    // Throws before a connection is opened, if the address does not fit into a command.
    rcptTo(recipient);
    if (impossible !== undefined) rcptTo(impossible);
    return await askIps(tools, question);
  } catch {
    // A fault of ours. It says nothing about the mailbox.
    const rule = 'internal error';
    recorder.note({ stage: 'rcpt', server: host.name, text: `not asked: ${rule}`, rule });
    return { kind: 'closed' };
  }
}

async function askIps(tools: Tools, question: MailQuestion): Promise<Observation> {
  const { host, recipient, recorder, signal } = question;
  const time = countdown(question.greetingMs);
  let told: Observation | undefined;
  const tell = (observed: Observation) => {
    if (!told || LEADS_ON.indexOf(observed.kind) >= LEADS_ON.indexOf(told.kind)) told = observed;
  };
  for (const [index, ip] of host.ips.entries()) {
    if (index > 0 && (signal.aborted || time.left() === 0)) {
      tell({ kind: 'unreachable' });
      break;
    }
    const source = tools.sources.choose(ip, recipient);
    if (!source) {
      const text = 'not connected: no local address of this family';
      recorder.note({ stage: 'connect', server: nameServer(question, ip), text });
      tell({ kind: 'unreachable' });
      continue;
    }
    const isLast = index === host.ips.length - 1;
    const observed = await askIp(tools, { question, ip, source, time, isLast, isNew: false, tls: true });
    if (!isFailureOfConnection(observed)) return observed;
    tell(observed);
    // The host's other IP addresses are held back too, because they belong to the same organisation.
    if (observed.kind === 'held-back') break;
  }
  return told ?? { kind: 'unreachable' };
}

/**
 * After these ends, the next IP address or mail host is tried. A reply to MAIL FROM or RCPT TO, or silence there, is final.
 * From the least to the most informative. The most informative IP address decides for the host.
 */
export const LEADS_ON: readonly Observation['kind'][] = [
  'not-smtp',
  'unreachable',
  'mute',
  'held-back',
  'not-welcome',
];

/** Whether to try the next IP address. After "slow down" it is not tried, because that applies to the organisation. */
function isFailureOfConnection(observed: Observation): boolean {
  return LEADS_ON.includes(observed.kind) && !(observed.kind === 'not-welcome' && observed.slowDown);
}
