/** A person in the section of keys, and what the API says to a key. */
import { expect } from 'vitest';
import type { Db } from '../../../../src/service/database/schema.ts';
import { auditOf } from '../../support/audit.ts';
import { type StoredServiceOptions, startStoredService, storeKey } from '../../support/stored-service.ts';
import { arrive, type Visitor } from '../../support/visitor.ts';

export const KEYS = '/dashboard/keys';
export const KEY = /^(test|live)_[A-Za-z0-9]{32}$/;

export async function openKeys(db: Db, options: StoredServiceOptions = {}) {
  const service = await startStoredService(db, options);
  const { person, visitor } = await arrive(service, db, 7);

  /** Opens the page of a new key of this person. */
  async function openKey(key: Parameters<typeof storeKey>[2] = {}) {
    const stored = await storeKey(db, person.id, { name: 'Shop', ...key });
    await visitor.open(`${KEYS}/${stored.id}`);
    return stored;
  }

  /** The status of a verification with a key. */
  const statusOf = async (value: string, origin?: string, remoteAddress = '198.51.100.7') => {
    const url = `/v1/verify?email=deliverable@example.com&api_key=${value}`;
    const headers = origin === undefined ? {} : { origin };
    return (await service.app.inject({ url, headers, remoteAddress })).statusCode;
  };

  /** Without the values, which nobody may see. */
  const auditEvents = () =>
    auditOf(db, person.id, 'actor', 'actor_name', 'action', 'subject_id', 'subject_name', 'details');

  const keyOf = (id: string) =>
    db.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  return { ...service, person, visitor, openKey, statusOf, auditEvents, keyOf };
}

/** What a page shows in an element. */
export const textAt = ({ document }: Visitor, selector: string): string | undefined =>
  document.querySelector(selector)?.textContent ?? undefined;

/** What `fault()` says of a form that was refused. */
export const faultOf = (said: string, field: string) => [422, expect.stringContaining(said), field];

export const fault = (visitor: Visitor): [number, string | undefined, string | null | undefined] => [
  visitor.status,
  textAt(visitor, '#problem'),
  visitor.document.querySelector('[aria-invalid=true]')?.getAttribute('name'),
];
