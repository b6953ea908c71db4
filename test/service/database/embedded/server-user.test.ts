/** Which user runs the embedded server. Only root can choose. */
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFolder } from '../../../../src/service/database/embedded/data-folder.ts';
import { chooseUsers, MAKE_USER } from '../../../../src/service/database/embedded/server-user.ts';
import { startEmbedded } from '../../../../src/service/database/embedded/start-embedded.ts';
import { emptyRoom, preparedFolder } from './running.ts';

const isRoot = process.geteuid?.() === 0;
const OWN = { uid: 4242, gid: 4243 };
const NOBODY = { uid: 65534, gid: 65534 };

/** The users that the machine has. */
const machine = (users: Readonly<Record<string, typeof OWN>>) => async (name: string) => users[name];
const BOTH = machine({ 'email-verify': OWN, nobody: NOBODY });
const ONLY_NOBODY = machine({ nobody: NOBODY });

/** A folder whose cluster is of the one user, and itself of the other. */
async function folderOf(cluster?: number, owner = 0) {
  const path = mkdtempSync(join(tmpdir(), 'users-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  if (cluster !== undefined) {
    mkdirSync(join(path, 'pg'));
    chownSync(join(path, 'pg'), cluster, cluster);
  }
  chownSync(path, owner, owner);
  return openFolder(path);
}

describe.runIf(isRoot)('started as root, the server runs as', () => {
  it('email-verify if there is such a user', async () => {
    expect(await chooseUsers(await folderOf(), BOTH)).toEqual({ server: OWN, initdb: OWN, isShared: false });
  });

  it('email-verify even if nobody is missing', async () => {
    const find = machine({ 'email-verify': OWN });
    expect(await chooseUsers(await folderOf(), find)).toMatchObject({ server: OWN, isShared: false });
  });

  it('nobody otherwise, which other programs share', async () => {
    const expected = { server: NOBODY, initdb: NOBODY, isShared: true };
    expect(await chooseUsers(await folderOf(), ONLY_NOBODY)).toEqual(expected);
  });

  it('email-verify with a cluster that nobody has run until now', async () => {
    const folder = await folderOf(NOBODY.uid);
    expect(await chooseUsers(folder, BOTH)).toMatchObject({ server: OWN, isShared: false });
  });

  it.each([
    ['the cluster', 4300, 0],
    ['the folder', undefined, 4300],
  ])('the owner of %s', async (_, cluster, owner) => {
    const folder = await folderOf(cluster, owner);
    const expected = { server: { uid: 4300 }, initdb: OWN, isShared: false };
    expect(await chooseUsers(folder, BOTH)).toMatchObject(expected);
  });

  it('none if there is neither, and it says how to make one', async () => {
    await expect(chooseUsers(await folderOf(), machine({}))).rejects.toThrow(MAKE_USER);
  });
});

it.runIf(isRoot)('says once that the server shares the user nobody, and starts', async () => {
  onTestFinished(emptyRoom);
  const folder = await preparedFolder();
  const logged: unknown[][] = [];
  const server = await startEmbedded(folder, { log: (...event) => void logged.push(event) });
  await server.stop();
  const { isShared } = await chooseUsers(await openFolder(folder));
  const warnings = logged.filter(([, event]) => event === 'database shares user');
  const advice = expect.stringContaining(MAKE_USER);
  expect(warnings).toEqual(isShared ? [['warn', 'database shares user', { advice }]] : []);
});
