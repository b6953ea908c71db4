/**
 * An operator's own lists, over those that come with the service. Lists age faster than releases.
 *
 * A folder holds any of `disposable.txt`, `free.txt`, `role.txt`, `allow.txt` and `block.txt`. Each line is one entry. An
 * exclamation mark in front takes an entry out. Empty lines, and lines that begin with `#`, are skipped.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toAsciiDomain } from '../address/domain.ts';
import { createFacts } from './create-facts.ts';
import type { EngineFacts } from './facts.ts';
import type { Lists, Names } from './lists.ts';

const FILES = ['disposable', 'free', 'role', 'allow', 'block'] as const;
type FileName = (typeof FILES)[number];

/** What a file adds and takes out. */
interface Changes {
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

const NOTHING: Changes = { added: new Set(), removed: new Set() };
/** The files are looked at once in that time, if a verification needs them. */
const LOOK_EVERY_MS = 1000;

/** A line that cannot be an entry is skipped, and the operator is told. */
export type OnListFault = (file: string, message: string) => void;

/**
 * Reads one file's text.
 *
 * @param parse returns the entry in the form that it is compared in, or `undefined` for what is not one
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

/** Whether the list has the domain, or one above it. */
function covers({ added, removed }: Changes, domain: string): boolean {
  if (removed.has(domain)) return false;
  if (added.has(domain)) return true;
  const dot = domain.indexOf('.');
  return dot >= 0 && covers({ added, removed }, domain.slice(dot + 1));
}

/**
 * Facts over the published lists and the operator's folder. A changed file counts within a second. A file that cannot be
 * read leaves what was read before.
 *
 * @param folder none: the published lists alone
 * @param now milliseconds of a clock
 */
export function createEngineFacts(
  published: Lists,
  folder?: string,
  onFault: OnListFault = () => {},
  now: () => number = Date.now,
): EngineFacts {
  const known = new Map<FileName, { readonly stamp: string; readonly changes: Changes }>();
  const changesOf = (name: FileName) => known.get(name)?.changes ?? NOTHING;
  /** What the operator has been told of a file. It is said once, not every second. */
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

/** Changes whenever the file does. Empty if there is none. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '';
}
