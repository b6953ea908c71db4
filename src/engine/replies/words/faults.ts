/** Words for temporary faults. They say nothing about the mailbox, even with a code that would. */
import type { Phrase } from '../phrases.ts';
import { FROM } from './sources.ts';

/** The server takes mail for the mailbox, but not now. This is checked first, because servers also call greylisting a block. */
export const WAIT: readonly Phrase[] = [
  ['gr*listed|greylist*|graylist*|greylisting', FROM.fieldManual],
  ['user|recipient|account|mailbox ... receiving .. mail|messages', FROM.google],
  ['recipient|user|mailbox ... exceeded ... ... rate|messages', FROM.fieldManual],
  ['at a rate that', FROM.google],
  // Postfix has not verified the address yet. It calls a wrong one `undeliverable address`.
  ['unverified address', FROM.postfix],
  ['verification ... in progress', FROM.postfix],
];

/** A full disk or queue that many mailboxes share. */
export const SERVER_FULL: readonly Phrase[] = [
  [
    'organization|organisation|tenant|company|domain|domaindisk|queue|system ... quota|storage|full',
    FROM.fieldManual,
  ],
  ['organization|organisation|tenant|company ... out of storage|space', FROM.fieldManual],
  ['quota of domain|organization|organisation|tenant', FROM.fieldManual],
  ['insufficient system|server|resources|disk|main', FROM.rfc5321],
  ['system full', FROM.systemFull],
  ['disk|disc|partition|filesystem|spool|volume is? full', FROM.systemFull],
  ['no space left', FROM.systemFull],
  ['out of memory', FROM.sina],
  ['not enough disk|system|spool', FROM.systemFull],
];

/** The server's verification of the recipient has failed. The reason follows in the reply. */
export const RECIPIENT_VERIFIED: readonly Phrase[] = [
  ['recipient verification|validation failed|failure|error', 'https://github.com/jeremymcs/baruwa/issues/18'],
];

const COMMAND = 'command|commands|parameter|parameters|argument|arguments';
const UNRECOGNIZED = 'unrecognized|unrecognised|unknown|unimplemented|unsupported';

/** The server says that an earlier command is missing. */
export const OUT_OF_SEQUENCE: readonly Phrase[] = [
  ['need|needs|send|say|issue|expected|expecting mail|rcpt|helo|ehlo', FROM.iCloud],
  ['helo|ehlo|mail first', FROM.iCloud],
  ['rcpt before mail', FROM.rfc5321],
  ['bad|wrong|invalid|improper command? sequence', FROM.rfc5321],
  ['out of sequence', FROM.rfc5321],
];

export const FAULT: readonly Phrase[] = [
  ...OUT_OF_SEQUENCE,
  // What is said of our command is not about the mailbox: `Command unrecognized: "RCPT TO:<…>"`.
  [`${COMMAND} ... ${UNRECOGNIZED}|invalid|missing|error`, FROM.rfc5321],
  [
    `${COMMAND} ... not .. recognized|recognised|implemented|supported|understood|valid|known|expected`,
    FROM.rfc5321,
  ],
  [`${UNRECOGNIZED}|unexpected|invalid|illegal|bad|missing smtp|esmtp|rcpt? to? ${COMMAND}`, FROM.rfc5321],
  [`error|errors in|of ${COMMAND}`, FROM.rfc5321],
  ['temporar*|temporal|temporaire*|vorubergehend*|voruebergehend*|временно|暂时|一時的*', FROM.systemError],
  // "Try again" alone may mean: with a corrected address. So a word about time has to follow.
  ['again|try|retry .. later', FROM.zoneMta],
  ['try|retry again? in|after', FROM.zoneMta],
  ['plus tard', FROM.orange],
  ['timeout|timeouts', FROM.systemError],
  ['lost connection', FROM.fieldManual],
  [
    'connection|connexion|connect .. refused|reset|closed|dropped|error|failed|failure|lost|expired',
    FROM.blocked,
  ],
  ['conversation with', FROM.qqMailbox],
  [
    'unable|failed|cannot|cant|couldnt|not to? connect|contact|reach|resolve|lookup|process|open|verify|validate|query|access|connected',
    FROM.mimecast,
  ],
  [
    'lookup|lookups|query|dns|ldap|database|directory|resolver|routing ... error|errors|failed|failure|unavailable|problem',
    FROM.systemError,
  ],
  [
    'internal|upstream|local|system|server|software|configuration|config|temporary|processing|unexpected ... error|problem|failure|trouble',
    FROM.systemError,
  ],
  ['error|errors in processing', FROM.rfc5321],
  ['misconfigur*', FROM.systemError],
  ['name service error', FROM.nodeBounce],
  ['verification|validation ... problem|failed|failure|impossible', FROM.postfix],
  ['callout|callback|callahead', FROM.exim],
  ['loop|looping|loops|hops', FROM.systemError],
  [
    'service|services|server|system|backend|daemon|resources ... unavailable|unreachable|down|busy|overloaded|offline',
    FROM.rfc5321,
  ],
  ['service|server|system ... not .. available|responding|ready|operational', FROM.rfc5321],
  ['overload*|maintenance|busy', FROM.nodeBounce],
  ['license|licence expired', FROM.fieldManual],
  // Here, "unknown" is not about the mailbox.
  ['unknown|unspecified|undefined error|errors|reason|reasons|cause|problem|failure', FROM.fieldManual],
  ['deferred|deferring|delayed|delaying', FROM.zoneMta],
  ['network|host unreachable|error|problem', FROM.zoneMta],
  ['no route', FROM.nodeBounce],
  ['out of order', FROM.systemError],
  ['mail transport error', FROM.postfix],
];
