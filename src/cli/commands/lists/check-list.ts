/** Decides whether a fetched list may take the place of the old one. */
import { isPublicSuffix } from '../../../engine/address/domain.ts';
import { isRelay, RELAYS } from '../../../engine/facts/disposable.ts';
import type { ListName } from '../../../engine/facts/facts.ts';
import { parseList } from '../../../engine/facts/operator-lists.ts';
import { PROVIDERS } from '../../../engine/provider-table.ts';
import { organisationOf } from '../../../engine/providers.ts';
import { quote } from '../../../service/core/usage-error.ts';
import { atOnce } from '../../../shared/steps.ts';
import { CommandError } from '../../command-error.ts';

/** Nobody means these domains, of which most people's addresses are. */
const LARGEST = [
  ...['gmail.com', 'outlook.com', 'hotmail.com', 'yahoo.com', 'icloud.com'],
  ...['gmx.de', 'web.de', 'mail.ru', 'qq.com', 'proton.me'],
];
const MAIL_SERVERS = PROVIDERS.flatMap(({ hosts }) => hosts);

export interface Wish {
  readonly list: ListName;
  /** How many entries the old list has. */
  readonly before: number;
  /** Whether it may have shrunk. */
  readonly force: boolean;
}

/** @returns how many entries the list has @throws {CommandError} if it is not a list, or not one that can be meant */
export function checkList(bytes: Buffer, { list, before, force }: Wish): number {
  const refuse = (message: string) => {
    throw new CommandError(`${message} Choose another list.`);
  };
  const { added } = atOnce(parseList(decode(bytes), list, refuse));
  const unmeant = list === 'free' || list === 'role' ? undefined : findUnmeant(added, list);
  if (unmeant !== undefined) {
    throw new CommandError(
      `Expected a list without ${quote(unmeant)}, which can't be meant. Choose another.`,
    );
  }
  if (added.size === 0) throw new CommandError('Expected at least one entry, got none. Choose another list.');
  // Of a list that has shrunk by more than a tenth, a part is probably missing.
  if (!force && added.size * 10 < before * 9) {
    throw new CommandError(
      `Expected at least nine tenths of ${before} entries, got ${added.size}. Add --force if that is right.`,
    );
  }
  return added.size;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError('Expected text in UTF-8, got something else. Choose another list.');
  }
}

/** An entry that takes in a whole top-level domain, a large provider or a relay, or one of their mail servers. */
function findUnmeant(entries: ReadonlySet<string>, list: ListName): string | undefined {
  // These lists take in everything below an entry, so one below which anybody can register takes in strangers.
  const isWide = list !== 'disposable';
  const namesServers = list.endsWith('-mx');
  const protectedNames = [...LARGEST, ...RELAYS, ...(namesServers ? MAIL_SERVERS : [])];
  for (const name of protectedNames)
    for (let parent = name; parent !== ''; parent = parentOf(parent)) if (entries.has(parent)) return parent;
  return [...entries].find(
    (entry) => !entry.includes('.') || (isWide && isPublicSuffix(entry)) || (namesServers && isOfMany(entry)),
  );
}

/** Whether the mail server has the mailboxes of many domains, most of which are not meant. */
const isOfMany = (server: string) => isRelay(server) || organisationOf(server).provider !== undefined;

const parentOf = (name: string) => (name.includes('.') ? name.slice(name.indexOf('.') + 1) : '');
