/**
 * An operator's own lists, which change those that come with the service. Lists age faster than releases.
 *
 * A folder contains any of the files of `LIST_NAMES`, each with the ending `.txt`. Each line is one entry. An exclamation
 * mark before an entry removes it. Empty lines, and lines that begin with `#`, are skipped.
 */
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atOnce, inSteps, type Steps } from '../../shared/steps.ts';
import { toAsciiDomain } from '../address/domain.ts';
import { isAddress } from '../address/syntax.ts';
import { isHostName } from '../dns/mail-host-names.ts';
import { createFacts } from './create-facts.ts';
import { LIST_NAMES, type ListedFacts, type ListName } from './facts.ts';
import { type Names, PACKAGED_AT, type PublishedLists } from './lists.ts';

/** The entries that a file adds and removes. */
export interface Changes {
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

/** A file that was read, or is absent. */
interface OwnList {
  readonly stat: Stats | undefined;
  readonly changes: Changes;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NOTHING: Changes = { added: NO_NAMES, removed: NO_NAMES };
/** Verifications check the files at most once in this time. */
const LOOK_EVERY_MS = 1000;
/** The lines of one step. They take about a millisecond. */
export const STEP_LINES = 500;
/** How many malformed lines a message names. A file of another kind has thousands. */
const MOST_NAMED = 3;
/** A changed file with more bytes is read in several turns of the event loop, so that requests do not wait for it. */
const MOST_AT_ONCE = 32 * 1024;

/** A list of a million names has half as many. */
const MOST_BYTES = 64 * 1024 * 1024;
const NOT_LIST = `Expected a file of at most ${MOST_BYTES / 1024 / 1024} MiB, got something else.`;

/** Called once for a file with lines that are not entries, which are skipped, and for a file that cannot be read. */
export type OnListFault = (file: string, message: string) => void;

/** Returns the entry in its normal form, or `undefined` if the line is not an entry. */
type ParseEntry = (entry: string) => string | undefined;

const withoutDot = (entry: string) => entry.replace(/\.$/, '');
const parseDomain: ParseEntry = (entry) => toAsciiDomain(withoutDot(entry.replace(/^@/, '')));
/** Names of hosts may contain an underscore, unlike domains of addresses. */
function parseMailServer(entry: string): string | undefined {
  const name = withoutDot(entry.toLowerCase());
  return isHostName(name) ? name : toAsciiDomain(name);
}
const parseRole: ParseEntry = (entry) =>
  /[\s@"]/.test(entry) || !isAddress(`${entry}@example.org`) ? undefined : entry.toLowerCase();

/** How the entries of each list are written. */
const PARSERS: Readonly<Record<ListName, ParseEntry>> = {
  disposable: parseDomain,
  free: parseDomain,
  role: parseRole,
  allow: parseDomain,
  block: parseDomain,
  'disposable-mx': parseMailServer,
  'block-mx': parseMailServer,
};

/** Reads one file's text. @param onFault called at the end, once, if any lines are not entries */
export function* parseList(text: string, list: ListName, onFault: (message: string) => void): Steps<Changes> {
  const added = new Set<string>();
  const removed = new Set<string>();
  const malformed: number[] = [];
  let malformedCount = 0;
  let number = 0;
  for (const [, line = ''] of text.replace(/^\uFEFF/, '').matchAll(/([^\r\n]*)(?:\r\n?|\n|$)/g)) {
    number += 1;
    if (number % STEP_LINES === 0) yield;
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    const isOut = entry.startsWith('!');
    const name = PARSERS[list](entry.replace(/^!\s*/, ''));
    if (name !== undefined) (isOut ? removed : added).add(name);
    else {
      malformedCount += 1;
      if (malformedCount <= MOST_NAMED) malformed.push(number);
    }
  }
  if (malformedCount > 0) onFault(sayMalformed(malformed, malformedCount - malformed.length));
  return { added, removed };
}

/** @param more how many other lines are malformed */
function sayMalformed(lines: readonly number[], more: number): string {
  if (lines.length === 1) return `Expected one entry in line ${lines[0]}, got something else.`;
  const named = more > 0 ? lines : lines.slice(0, -1);
  const rest = more > 0 ? `${more} more` : lines.at(-1);
  return `Expected one entry in each line, got something else in lines ${named.join(', ')} and ${rest}.`;
}

/** The entries of the packaged list. Some lists have none. */
export function packagedEntries(published: PublishedLists, list: ListName): ReadonlySet<string> {
  const entries: Partial<Record<ListName, ReadonlySet<string>>> = {
    ...{ disposable: published.disposableDomains, free: published.freeDomains, role: published.roleNames },
    'disposable-mx': published.disposableMailServers,
  };
  return entries[list] ?? NO_NAMES;
}

function changed(published: Names, { added, removed }: Changes): Names {
  return { has: (name) => !removed.has(name) && (added.has(name) || published.has(name)) };
}

/** Finds the list that contains the name or a parent name. A removed name is in none. */
function listWith(
  name: string,
  own: Changes,
  packaged: ReadonlySet<string> = NO_NAMES,
): 'own' | 'packaged' | undefined {
  if (own.removed.has(name)) return undefined;
  if (own.added.has(name)) return 'own';
  if (packaged.has(name)) return 'packaged';
  const dot = name.indexOf('.');
  return dot < 0 ? undefined : listWith(name.slice(dot + 1), own, packaged);
}

const stampOf = (stat: Stats | undefined) => (stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '');

const covers = (own: Changes, name: string): boolean => listWith(name, own) !== undefined;

/**
 * Makes the facts from the published lists and the operator's folder, and reads its files. A change of a file is noticed
 * within a second. A long one is then read in turns of the event loop. Its earlier entries stay until it is read, and if it
 * cannot be read.
 *
 * @param folder the operator's folder. Without one, only the published lists count
 * @param now returns milliseconds of a clock that is never set back
 */
export function createEngineFacts(
  published: PublishedLists,
  folder?: string,
  onFault: OnListFault = () => {},
  now: () => number = () => performance.now(),
): ListedFacts {
  const known = new Map<ListName, OwnList>();
  const changesOf = (name: ListName): Changes => known.get(name)?.changes ?? NOTHING;
  /** The files that are being read in turns. */
  const beingRead = new Set<ListName>();
  /** The last message about each file. The operator gets each message once, not every second. */
  const told = new Map<ListName | 'folder', string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let facts = createFacts(published);

  function tellOnce(name: ListName | 'folder', message: string): void {
    if (told.get(name) === message) return;
    told.set(name, message);
    onFault(name === 'folder' ? 'listsFolder' : `${name}.txt`, message);
  }

  function look(): void {
    if (folder === undefined || now() - lookedAt < LOOK_EVERY_MS) return;
    const isFirst = lookedAt === Number.NEGATIVE_INFINITY;
    lookedAt = now();
    if (existsSync(folder)) told.delete('folder');
    else tellOnce('folder', 'There is no such folder, so the packaged lists count alone.');
    for (const name of LIST_NAMES) lookAt(name, join(folder, `${name}.txt`), isFirst);
  }

  /** @param isFirst whether no request can wait for it yet */
  function lookAt(name: ListName, path: string, isFirst: boolean): void {
    if (beingRead.has(name)) return;
    const tell = (message: string) => onFault(`${name}.txt`, message);
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stampOf(stat) === stampOf(known.get(name)?.stat)) return;
      // Everything waits for a pipe until somebody writes to it. A device may have no end.
      if (stat && !(stat.isFile() && stat.size <= MOST_BYTES)) {
        tellOnce(name, NOT_LIST);
        return;
      }
      if (!stat || isFirst || stat.size <= MOST_AT_ONCE) {
        take(name, stat, stat && atOnce(parseList(readFileSync(path, 'utf8'), name, tell)));
        return;
      }
      beingRead.add(name);
      void readFile(path, 'utf8')
        .then((text) => inSteps(parseList(text, name, tell)))
        .then((changes) => take(name, stat, changes))
        .catch((error: unknown) => tellUnreadable(name, error))
        .finally(() => beingRead.delete(name));
    } catch (error) {
      tellUnreadable(name, error);
    }
  }

  function take(name: ListName, stat: Stats | undefined, changes: Changes = NOTHING): void {
    told.delete(name);
    known.set(name, { stat, changes });
    facts = createFacts({
      disposableDomains: changed(published.disposableDomains, changesOf('disposable')),
      freeDomains: changed(published.freeDomains, changesOf('free')),
      roleNames: changed(published.roleNames, changesOf('role')),
      ownDisposableDomains: changed(NO_NAMES, changesOf('disposable')),
    });
  }

  const tellUnreadable = (name: ListName, error: unknown) =>
    tellOnce(name, `The file cannot be read (${(error as NodeJS.ErrnoException).code}).`);

  const current = () => {
    look();
    return facts;
  };

  look();
  return {
    isDisposable: (domain) => current().isDisposable(domain) && !covers(changesOf('allow'), domain),
    isFree: (domain) => current().isFree(domain),
    isRole: (user) => current().isRole(user),
    suggestAddress: (address) => facts.suggestAddress(address),
    isBlocked(domain) {
      look();
      return covers(changesOf('block'), domain);
    },
    findListed(names, domain) {
      look();
      const blocked = names.find((name) => covers(changesOf('block-mx'), name));
      if (blocked !== undefined) return { as: 'blocked', name: blocked, list: 'block-mx.txt' };
      if (covers(changesOf('allow'), domain)) return undefined;
      for (const name of names) {
        const by = listWith(name, changesOf('disposable-mx'), published.disposableMailServers);
        const list = by === 'own' ? 'disposable-mx.txt' : 'the packaged list';
        if (by) return { as: 'disposable', name, list };
      }
      return undefined;
    },
    reportLists() {
      look();
      return LIST_NAMES.map((name) => {
        const { stat } = known.get(name) ?? {};
        const packaged = packagedEntries(published, name).size;
        return {
          ...{ name, packaged },
          ...(packaged > 0 && { packagedAt: PACKAGED_AT.get(name) }),
          ...(stat && { own: { entries: changesOf(name).added.size, changedAt: stat.mtime } }),
        };
      });
    },
  };
}
