/**
 * Words the entries of the audit log. Each sentence continues after the actor's name. Details that the sentence does
 * not name are listed below it.
 */
import type { AuditAction, AuditEntry } from '../../audit/audit-store.ts';
import { counted, momentText, signed } from '../../core/format.ts';
import { sayFound, sayMade } from './audit-counts.ts';

/** An entry to put into words. */
export interface Told {
  /** The kind and name of the object: `the key Shop`. */
  readonly subject: string;
  /** Whether the subject is the person who did it. */
  readonly isOwn: boolean;
  readonly at: Date;
  /** A detail. One that the sentence reads is not listed below it. */
  detail(name: string): string | undefined;
  number(name: string): number | undefined;
}

/** A sentence, in parts if there are moments in it. */
type Said = string | readonly (string | Date)[];

/** How a sentence names the object of an action. The first word of the action is the object's kind. */
const KINDS: Readonly<Record<string, string>> = {
  key: 'the key',
  app: 'the app',
  batch: 'the batch',
  callback: 'the batch',
};

const SENTENCES: Readonly<Record<AuditAction, (told: Told) => Said>> = {
  'account.create': ({ number }) => {
    const credits = number('credits');
    return `created the account${credits ? ` with ${counted(credits, 'credit')}` : ''}`;
  },
  'account.credits': ({ number }) => {
    const amount = number('amount');
    return amount === undefined ? 'changed the credits' : `changed the credits by ${signed(amount)}`;
  },
  'account.password': () => 'set a new password, which signed out all sessions',
  'account.limits': () => 'changed the limits of the account',
  'person.app-add': () => 'set up an authenticator app',
  'person.app-remove': () => 'removed the authenticator app',
  'person.passkey-add': ({ detail }) => `added the passkey ${isolate(detail('name') ?? '')}`,
  'person.passkey-rename': ({ detail }) =>
    `renamed the passkey ${isolate(detail('before') ?? '')} to ${isolate(detail('name') ?? '')}`,
  'person.passkey-remove': ({ detail }) => `removed the passkey ${isolate(detail('name') ?? '')}`,
  'person.recovery-codes': () => 'made new recovery codes, which ended the old ones',
  'person.recovery-code': ({ number }) =>
    `used a recovery code. ${counted(number('left') ?? 0, 'code is', 'codes are')} left`,
  'person.second-factor': ({ subject }) => `removed all second factors of ${subject}`,
  'account.rename': ({ detail }) =>
    `gave the account the address ${named(detail('to'))}, instead of ${named(detail('from'))}`,
  'member.invite': ({ subject, detail }) => `invited ${subject}${sayRole(detail('role'))}`,
  'member.withdraw': ({ subject, detail }) =>
    `withdrew the invitation of ${subject}${sayRole(detail('role'))}`,
  'member.join': ({ detail }) =>
    `accepted the invitation of ${named(detail('invited_by'))}, and joined the account${sayRole(detail('role'))}`,
  'member.add': ({ subject, detail }) => `added ${subject} to the account${sayRole(detail('role'))}`,
  'member.role': ({ subject, detail }) =>
    `changed the role of ${subject} from ${detail('from') ?? 'another one'} to ${detail('to') ?? 'this one'}`,
  'member.end': ({ subject, isOwn, detail }) => {
    const role = sayRole(detail('role'));
    const ended = isOwn
      ? `left the account${role}, which ended`
      : `ended the membership of ${subject}${role}, and`;
    return `${ended} the tokens that apps got from there`;
  },
  'person.address': ({ detail }) =>
    `changed the own address from ${named(detail('from'))} to ${named(detail('to'))}`,
  'person.connect': () => 'connected the own sign-in with the provider of single sign-on',
  'person.unlink': ({ subject }) => `unlinked ${subject} from the provider of single sign-on`,
  'person.sessions': ({ subject, number }) =>
    `signed ${subject} out of ${counted(number('ended') ?? 0, 'session')}`,
  'person.password': ({ subject }) => `set a new password of ${subject}, which signed out all sessions`,
  'person.link': ({ subject }) => `made a sign-in link for ${subject}`,
  'person.link-used': () => 'signed in with a link of the operator',
  'key.create': ({ subject, detail }) => {
    const kind = [detail('mode'), detail('kind')].filter(Boolean).join(' ');
    const end = detail('last4');
    return `created ${subject}${kind && `, a ${kind} key`}${end === undefined ? '' : `, which ends in ${end}`}`;
  },
  'key.change': ({ subject }) => `changed ${subject}`,
  'key.roll': ({ subject, detail, number, at }) => {
    const [end, former] = [detail('last4'), detail('former_last4')];
    const values = end !== undefined && former !== undefined ? ` from …${former} to …${end}` : '';
    return [`rolled ${subject}${values}. `, ...sayOverlap('value', at, number('overlap_seconds'))];
  },
  'key.revoke': ({ subject, detail }) => {
    const end = detail('last4');
    return `revoked ${subject}${end === undefined ? '' : `, which ended in ${end}`}. It will never work again`;
  },
  'app.create': (told) => `created ${told.subject}${sayMade(told)}`,
  'app.change': ({ subject }) => `changed ${subject}`,
  'app.roll-secret': ({ subject, number, at }) => [
    `rolled the secret of ${subject}. `,
    ...sayOverlap('secret', at, number('overlap_seconds')),
  ],
  'app.delete': ({ subject }) => `deleted ${subject}, and ended all its tokens`,
  'app.allow': ({ subject, detail }) =>
    `allowed ${subject} to use the account${detail('flow') === 'device' ? ' from a device' : ''}`,
  'app.deny': ({ subject }) => `denied ${subject} access to the account`,
  'app.remove': ({ subject }) => `removed the access of ${subject} to the account`,
  'batch.create': ({ subject, number, detail }) => {
    const entries = number('entries');
    const addresses = number('addresses');
    const sizes = [
      entries !== undefined && ` of ${counted(entries, 'entry', 'entries')}`,
      addresses !== undefined && ` of ${counted(addresses, 'address', 'addresses')}`,
    ];
    const size = sizes.find((one) => one !== false) ?? '';
    return `started ${subject}${size}${detail('mode') === 'test' ? ' with a test key' : ''}${detail('is_free') === 'true' ? ', free of charge' : ''}`;
  },
  'batch.pause': ({ subject }) => `paused ${subject}`,
  // Its former name could have an address that was erased since.
  'batch.rename': ({ subject }) => `renamed a batch, which is ${subject} now`,
  'batch.resume': ({ subject }) => `resumed ${subject}`,
  'batch.stop': ({ subject, number }) => {
    const refunded = number('refunded');
    return `stopped ${subject}${refunded ? `, which gave back ${counted(refunded, 'credit')}` : ''}`;
  },
  'batch.delete': ({ subject, number }) => {
    const refunded = number('refunded');
    return `deleted ${subject} with its results${refunded ? `, which gave back ${counted(refunded, 'credit')}` : ''}`;
  },
  'batch.download': ({ subject, detail }) =>
    `downloaded ${detail('filtered') === 'true' ? 'some' : 'all'} results of ${subject}`,
  'callback.send-again': ({ subject }) => `sent the callback of ${subject} again`,
  'settings.password': () => 'changed the password, which signed out all other sessions',
  'settings.sessions': ({ number }) => {
    const ended = number('ended');
    return ended === undefined ? 'signed out other sessions' : `signed out ${counted(ended, 'session')}`;
  },
  'settings.callback-secret': ({ detail }) =>
    detail('change') === 'old one ended' ? 'ended the old callback secret' : 'rolled the callback secret',
  'settings.notice-url': ({ detail }) => {
    const host = detail('host');
    return host === undefined ? 'removed the notice URL' : `set the notice URL to one of ${host}`;
  },
  'settings.retention': ({ number }) => {
    const hours = number('hours');
    const ended = number('batches_ended') ?? 0;
    const retention = hours === undefined ? "the service's default" : counted(hours, 'hour');
    const lost = ended > 0 ? `. The results of ${counted(ended, 'batch', 'batches')} ended with that` : '';
    return `set the retention to ${retention}${lost}`;
  },
  'address.export': (told) => `exported the data about an address${sayFound(told, 'in the file')}`,
  'address.erase': (told) => `erased the data about an address${sayFound(told, 'deleted')}`,
};

const sayRole = (role: string | undefined): string =>
  role === undefined ? '' : ` as ${/^[ao]/.test(role) ? 'an' : 'a'} ${role}`;

/** An address within a sentence. */
const named = (address: string | undefined): string => isolate(address ?? 'somebody');

function sayOverlap(what: string, at: Date, seconds: number | undefined): (string | Date)[] {
  if (seconds === undefined) return [`There is a new ${what}`];
  if (seconds === 0) return [`The old ${what} stopped at once`];
  // A time span would mean little to later readers.
  return [`The old ${what} works until `, new Date(at.getTime() + 1000 * seconds)];
}

/** An entry in words. */
export interface Sentence {
  /** For a file: its moments are in UTC. */
  readonly text: string;
  /** For a page, which shows the moments in the time zone of its reader. */
  readonly parts: readonly (string | Date)[];
  /** The other details, as `name: value`. */
  readonly more: readonly string[];
}

export function sayAuditEvent(entry: AuditEntry): Sentence {
  const { actor, actor_name, action, at, subject_id, subject_name, details } = entry;
  const told = new Set<string>();
  const detail = (name: string): string | undefined => {
    told.add(name);
    const value = details[name];
    return value === undefined || value === null ? undefined : String(value);
  };
  const kind = KINDS[action.split('.')[0]!];
  const name = isolate(subject_name ?? subject_id ?? 'without a name');
  // A newer process may have written an action that this one does not know.
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action as AuditAction] : () => action;
  const said = sentence({
    at,
    subject: kind === undefined ? name : `${kind} ${name}`,
    isOwn: actor === 'owner' && actor_name === subject_name,
    detail,
    number: (wanted) => {
      const value = detail(wanted);
      return value !== undefined && /^-?\d+$/.test(value) ? Number(value) : undefined;
    },
  });
  const more = Object.entries(details)
    .filter(([wanted, value]) => !told.has(wanted) && value !== null)
    .map(([wanted, value]) => `${wanted.replaceAll('_', ' ')}: ${String(value)}`);
  const parts = typeof said === 'string' ? [said] : said;
  const text = parts.map((part) => (typeof part === 'string' ? part : momentText(part))).join('');
  return { text, parts, more };
}

/**
 * Marks the begin and end of a name, so that its text direction does not affect the sentence (Unicode Standard Annex 9,
 * section 2.7).
 */
const isolate = (name: string): string => `\u2068${withoutIsolates(name)}\u2069`;

/** Text without these marks. */
export const withoutIsolates = (text: string): string => text.replace(/[\u2066-\u2069]/g, '');

const ACTORS: Readonly<Record<AuditEntry['actor'], (name: string) => string>> = {
  owner: (name) => name,
  operator: (name) => `The operator (${name})`,
  service: () => 'The service',
  key: (name) => `The key ${name}`,
  app: (name) => `The app ${name}`,
};

export const sayActor = ({ actor, actor_name }: Pick<AuditEntry, 'actor' | 'actor_name'>): string =>
  ACTORS[actor](actor_name);
