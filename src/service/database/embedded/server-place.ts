/** Finds the programs and the user with which the embedded database can run on a folder. */
import { tmpdir } from 'node:os';
import { type Binaries, findBinaries } from './binaries.ts';
import { type DataFolder, openFolder } from './data-folder.ts';
import { canEnter, chooseUsers, type ServerUsers } from './server-user.ts';

/** The facts that do not change while a process waits for the folder. */
export interface Place {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly users: ServerUsers;
  /** Whether the server's user can reach the folder by its path. */
  readonly reachable: boolean;
}

/** @throws DatabaseError if the database cannot run there */
export async function findPlace(given: string): Promise<Place> {
  const folder = await openFolder(given);
  const users = await chooseUsers(folder);
  const reachable = await canEnter(folder.path, users.server);
  const homes = [...(reachable && !folder.owner ? [folder.path] : []), tmpdir(), '/var/tmp'];
  return { folder, users, reachable, binaries: await findBinaries(users.server, homes) };
}
