/**
 * An operator's own lists, which change those that come with the service. Lists age faster than releases.
 *
 * A folder contains any of `disposable.txt`, `free.txt`, `role.txt`, `allow.txt` and `block.txt`. Each line is one entry.
 * An exclamation mark before an entry removes it. Empty lines, and lines that begin with `#`, are skipped.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toAsciiDomain } from '../address/domain.ts';
import { createFacts } from './create-facts.ts';
import type { EngineFacts } from './facts.ts';
import type { Lists, Names } from './lists.ts';

const FILES = ['disposable', 'free', 'role', 'allow', 'block'] as const;
type FileName = (typeof FILES)[number];

/** The entries that a file adds and removes. */
interface Changes {
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

const NOTHING: Changes = { added: new Set(), removed: new Set() };
/** Verifications check the files at most once in this time. */
const LOOK_EVERY_MS = 1000;

/** Called for a line that is not an entry, which is skipped, and for a file that cannot be read. */
export type OnListFault = (file: string, message: string) => void;

/**
 * Reads one file's text.
 *
 * @param parse returns the entry in its normal form, or `undefined` if the line is not an entry
 */
export function parseList(
  text: string,
  parse: (entry: string) => string | undefined,
  onFault: (message: string) => void,
): Changes {
  const added = new Set<string>();
  const removed = new Set<string>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .entries()) {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    const isOut = entry.startsWith('!');
    const name = parse(entry.replace(/^!\s*/, ''));
    if (name === undefined) onFault(`Expected one entry in line ${index + 1}, got something else.`);
    else (isOut ? removed : added).add(name);
  }
  return { added, removed };
}

const parseDomain = (entry: string) => toAsciiDomain(entry.replace(/^@|\.$/g, ''));
const parseRole = (entry: string) => (/[\s@]/.test(entry) ? undefined : entry.toLowerCase());

function changed(published: Names, { added, removed }: Changes): Names {
  return { has: (name) => !removed.has(name) && (added.has(name) || published.has(name)) };
}

/** Whether the list contains the domain or a parent domain. */
function covers({ added, removed }: Changes, domain: string): boolean {
  if (removed.has(domain)) return false;
  if (added.has(domain)) return true;
  const dot = domain.indexOf('.');
  return dot >= 0 && covers({ added, removed }, domain.slice(dot + 1));
}

/**
 * Makes the facts from the published lists and the operator's folder. A changed file takes effect within a second. If a
 * file cannot be read, its earlier entries stay.
 *
 * @param folder the operator's folder. Without one, only the published lists count
 * @param now returns milliseconds of a clock
 */
export function createEngineFacts(
  published: Lists,
  folder?: string,
  onFault: OnListFault = () => {},
  now: () => number = Date.now,
): EngineFacts {
  const known = new Map<FileName, { readonly stamp: string; readonly changes: Changes }>();
  const changesOf = (name: FileName) => known.get(name)?.changes ?? NOTHING;
  /** The last message about each file. The operator gets each message once, not every second. */
  const told = new Map<FileName | 'folder', string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let facts = createFacts(published);

  function tellOnce(name: FileName | 'folder', message: string): void {
    if (told.get(name) === message) return;
    told.set(name, message);
    onFault(name === 'folder' ? 'listsFolder' : `${name}.txt`, message);
  }

  function look(): void {
    if (folder === undefined || now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now();
    if (existsSync(folder)) told.delete('folder');
    else tellOnce('folder', 'There is no such folder, so the packaged lists count alone.');
    const differs = FILES.map((name) => readAgain(name, join(folder, `${name}.txt`)));
    if (!differs.includes(true)) return;
    facts = createFacts({
      disposableDomains: changed(published.disposableDomains, changesOf('disposable')),
      freeDomains: changed(published.freeDomains, changesOf('free')),
      roleNames: changed(published.roleNames, changesOf('role')),
    });
  }

  /** @returns whether the file has changed */
  function readAgain(name: FileName, path: string): boolean {
    try {
      const stamp = stampOf(path);
      if (stamp === (known.get(name)?.stamp ?? '')) return false;
      const tell = (message: string) => onFault(`${name}.txt`, message);
      const text = stamp === '' ? '' : readFileSync(path, 'utf8');
      told.delete(name);
      known.set(name, { stamp, changes: parseList(text, name === 'role' ? parseRole : parseDomain, tell) });
      return true;
    } catch (error) {
      tellOnce(name, `The file cannot be read (${(error as NodeJS.ErrnoException).code}).`);
      return false;
    }
  }

  return {
    isDisposable(domain) {
      look();
      return facts.isDisposable(domain) && !covers(changesOf('allow'), domain);
    },
    isFree(domain) {
      look();
      return facts.isFree(domain);
    },
    isRole(user) {
      look();
      return facts.isRole(user);
    },
    suggestAddress: (address) => facts.suggestAddress(address),
    isBlocked(domain) {
      look();
      return covers(changesOf('block'), domain);
    },
  };
}

/** A text that changes whenever the file changes. Empty if there is no file. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '';
}
