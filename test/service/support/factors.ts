/** Second factors of persons, as the pages make them. */
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import type { Db } from '../../../src/service/database/schema.ts';
import { findApp, findSetUp } from '../../../src/service/people/factors/authenticator-app-store.ts';
import { Authenticator, type AuthenticatorOptions } from './authenticator.ts';
import type { Visitor } from './visitor.ts';

/** What the browser would get for the button of a passkey. */
export function optionsOf(visitor: Visitor, kind = 'get') {
  const form = visitor.document.querySelector(`form[data-passkey="${kind}"]`);
  return JSON.parse(form?.getAttribute('data-options') ?? 'null');
}

/** Sets up an authenticator app. @returns the recovery codes, if the page shows some */
export async function setUpApp(db: Db, visitor: Visitor, personId: string): Promise<string[]> {
  await visitor.open('/dashboard/security/totp');
  const app = (await findSetUp(db, personId))!;
  await visitor.press('Confirm', { 'Code that the app shows': codeOf(app.secret, app.seconds) });
  return codesOn(visitor);
}

/** The recovery codes that the page shows. */
export const codesOn = ({ document }: Visitor): string[] =>
  [...document.querySelectorAll('ol#recovery-codes > li')].map((item) => item.textContent);

/** Adds a passkey on the page of security. */
export async function addPasskey(
  visitor: Visitor,
  name: string,
  options: AuthenticatorOptions = {},
): Promise<Authenticator> {
  await visitor.open('/dashboard/security');
  const authenticator = new Authenticator(options);
  const passkey = authenticator.create(optionsOf(visitor, 'create'));
  await visitor.press('Add a passkey', { 'Name of the new passkey': name, passkey });
  if (visitor.status >= 400) throw new Error(`Expected a new passkey, got: ${visitor.text}`);
  return authenticator;
}

/** A code that the app shows now. Time seems to pass, because each code counts once. */
export async function nextCode(db: Db, personId: string): Promise<string> {
  await sql`update authenticator_apps set last_step = last_step - 10`.execute(db);
  const { secret, seconds } = (await findApp(db, personId))!;
  return codeOf(secret, seconds);
}

export const codeOf = (secret: string, seconds: number): string => generateSync({ secret, epoch: seconds });

/** Makes the confirmation of all sessions old. */
export const forgetConfirmations = (db: Db) =>
  sql`update sessions set authenticated_at = authenticated_at - interval '1 hour'`.execute(db);
