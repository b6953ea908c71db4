/** A person on the page of the settings, or of security. */
import type { Db } from '../../../../src/service/database/schema.ts';
import { auditOf } from '../../support/audit.ts';
import { type StoredServiceOptions, startStoredService } from '../../support/stored-service.ts';
import { makePerson, PASSWORD, Visitor } from '../../support/visitor.ts';

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

export const openSettings = (db: Db, options: StoredServiceOptions = {}) =>
  openAt('/dashboard/settings', db, options);

export const openSecurity = (db: Db, options: StoredServiceOptions = {}) =>
  openAt('/dashboard/security', db, options);

async function openAt(path: string, db: Db, options: StoredServiceOptions) {
  const service = await startStoredService(db, options);
  const person = await makePerson(db);
  const newVisitor = (userAgent = FIREFOX) =>
    new Visitor(service.app, { headers: { 'user-agent': userAgent } });
  const signIn = (userAgent?: string) => newVisitor(userAgent).signIn(person, PASSWORD);
  const visitor = await signIn();
  await visitor.open(path);
  return { ...service, person, visitor, newVisitor, signIn };
}

/** What the audit log of an account says, the oldest first. */
export const deedsOf = (db: Db, accountId: string) =>
  auditOf(db, accountId, 'actor', 'actor_name', 'action', 'details');

export const doneMessage = (visitor: Visitor) => visitor.document.querySelector('.done')?.textContent;
export const problemOf = (visitor: Visitor) => visitor.document.querySelector('.problem')?.textContent;
