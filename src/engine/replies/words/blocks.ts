/**
 * Words of servers that slow us down or block us, because of our IP address, its reputation or our number of requests. The
 * engine then pauses.
 */
import type { Phrase } from '../phrases.ts';
import { FROM } from './sources.ts';

export interface AboutUs {
  /** The name of the rule in the evidence. */
  readonly kind: string;
  /** Whether the engine should pause. */
  readonly slowDown: boolean;
  readonly phrases: readonly Phrase[];
}

/** Names of block lists. Host names and URLs are searched for them too. */
export const BLOCK_LISTS: readonly Phrase[] = [
  ['spamhaus|sorbs|uribl|surbl|abuseat|hostkarma|barracudacentral|junkemailfilter|cobion', FROM.zoneMta],
  ['spamcop|senderscore|invaluement|cloudmark|dsbl|spamrl', FROM.blocked],
  ['dnsbl*|rbl|rbls|drbl|rblchecker', FROM.zoneMta],
];

export const US = 'ip|ips|host|hostname|server|client|mta|domain|network|netblock|isp|mailserver|relay';

export const BLOCKS: readonly AboutUs[] = [
  {
    kind: 'block list',
    slowDown: true,
    phrases: [
      ['blacklist*|blocklist*|denylist*', FROM.zoneMta],
      ['realtime block*', FROM.zoneMta],
      ['block|blocking|blocked', FROM.blocked],
      [`${US}|address|is|are|was|being|found|you listed`, FROM.zoneMta],
      ['banned|ban', FROM.microsoft],
      ['in prison', FROM.inactive],
      ['bloquee|bloques|blokeeris|bloqueada|gesperrt', FROM.orange],
      ['black ip', FROM.sina],
      ['all messages|mail from', FROM.yahoo],
    ],
  },
  {
    kind: 'reputation',
    slowDown: true,
    phrases: [
      ['reputation', FROM.google],
      ['spam*|antispam*|unsolicited|junk*|ube|uce|bulk', FROM.spam],
      [
        'abus|abuse|abusive|complaints|suspicious|malicious|phishing|virus|malware|attack|attacks',
        FROM.tencent,
      ],
      ['extreme? bad ip', FROM.blocked],
      ['dynamic ip|ips|address*|range', FROM.blocked],
    ],
  },
  {
    kind: 'rate',
    slowDown: true,
    phrases: [
      [
        'too many|much .. con|conn|conns|connections|connexions|sessions|session|messages|mails|emails|recipients|requests|errors|invalid|unknown|bad|commands|attempts|rcpts|rcpt|unwanted',
        FROM.rate,
      ],
      ['trop de connexions|messages|mails', FROM.orange],
      ['rate limit*|exceeded|control', FROM.google],
      ['ratelimit*|throttl*|frequency|concurren*', FROM.tencent],
      ['limited|limit ... rate|connections|sessions|messages|hour|day', FROM.mimecast],
      ['slow down', FROM.orange],
      ['slower', FROM.rate],
      ['too fast|quickly|frequently|often', FROM.rate],
      [
        'exceed* ... messages|recipients|connections|emails|mails|rate|hour|hourly|day|daily|minute|sessions',
        FROM.goDaddy,
      ],
      ['per hour|day|minute|session|connection', FROM.goDaddy],
      ['this hour', FROM.goDaddy],
      ['max|maximum .. messages|connections|recipients|sessions|concurrent', FROM.cox],
      ['max|maximum number of nonexistent|unknown|invalid|bad', FROM.rate],
      ['unknown|invalid|found|relay limit|threshold', FROM.rate],
      ['sending|send|outgoing|daily|hourly|message quota|limit|threshold', FROM.mimecast],
      // A quota of our own: "Delayed: sender over quota".
      ['sender|senders|connection ... quota|overquota', FROM.rate],
      ['quota ... for|of sender|senders', FROM.rate],
      ['you|youve have? exceed*', FROM.rate],
      ['excessive|volume', FROM.fieldManual],
      ['unusual rate', FROM.google],
    ],
  },
];
