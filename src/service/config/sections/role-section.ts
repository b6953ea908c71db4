/** The role of a process: it answers requests, works on batches and callbacks, or does both. */
import { Type } from '@sinclair/typebox';
import type { DatabaseLocation } from '../../database/database-location.ts';
import { ConfigError } from '../config-error.ts';
import { quote } from './shared-schemas.ts';

const ROLES = ['web', 'worker', 'all'] as const;
export type Role = (typeof ROLES)[number];

const EXPECTED = 'web, worker or all';

export const RoleSchema = Type.Union(
  ROLES.map((role) => Type.Literal(role)),
  {
    expected: EXPECTED,
    description:
      'What the process does: it serves requests (`web`), works on batches and callbacks (`worker`), or does both (`all`). `--role` replaces it. See [Roles](operations.md#roles).',
    default: 'all',
  },
);

/** @throws {ConfigError} for an unknown role */
export function readRole(text: string): Role {
  const role = ROLES.find((name) => name === text);
  if (role) return role;
  throw new ConfigError(`Expected --role to be ${EXPECTED}, got ${quote(text)}.`);
}

/**
 * @throws {ConfigError} for a role that cannot work: a worker without a database, or a single role on a folder, which
 * only one process can use
 */
export function checkRole(role: Role, database: DatabaseLocation | undefined): void {
  if (role === 'all' || (role === 'web' && !database)) return;
  if (!database) {
    throw new ConfigError(
      'Expected a database with the role worker, but there is none. Set database or DATABASE_URL to the PostgreSQL server of the other processes.',
    );
  }
  if ('folder' in database) {
    throw new ConfigError(
      `Expected the role all with a database in a folder, got ${role}. Only one process can use a folder, so the other role would be missing. Use a postgres:// server instead.`,
    );
  }
}
