/** Checks the second factor of a person: a code of the app, a passkey, or a recovery code. */
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { recordAboutPerson } from '../members/record-about-person.ts';
import { recordPersonEvent } from '../persons/person-events.ts';
import type { Someone } from '../persons/person-store.ts';
import { countGuesses, forgetGuesses, type GuessSubject } from '../sign-in/guesses.ts';
import { findApp, spendStep } from './authenticator-app-store.ts';
import { holdingPerson } from './hold-person.ts';
import { checkPasskey } from './passkeys.ts';
import { spendCode } from './recovery-code-store.ts';
import { digestOfCode } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';

/** One of the three. */
export type SentFactor =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'recovery-code'; readonly text: string }
  /** The JSON of the browser. */
  | { readonly kind: 'passkey'; readonly text: string };

export type JudgedFactor =
  /** `left`: recovery codes, after one was used. */
  | { readonly kind: 'right'; readonly left?: number }
  | { readonly kind: 'wrong' }
  /** There were too many wrong codes of the app. Passkeys and recovery codes are not affected. */
  | { readonly kind: 'paused'; readonly seconds: number };

/**
 * Counts for the person, whatever session or network. Three of a million codes are right at a time, and a program gets
 * some 200 guesses a day, so it needs years. Only those who know the password can make a person wait. A passkey and a
 * recovery code pass at once.
 */
const GUESSES = { free: 10, firstPause: 5, longestPause: 900 };

export const guessesOf = (personId: string): GuessSubject => ({
  name: `second factor: ${personId}`,
  rule: GUESSES,
});

/** @param browser the value of the browser's cookie */
export async function judgeFactor(
  deps: Pick<Deps, 'db' | 'settings'>,
  person: Someone,
  { kind, text }: SentFactor,
  browser: string,
): Promise<JudgedFactor> {
  if (kind === 'code') return judgeCode(deps.db, person.id, text);
  if (kind === 'recovery-code') return judgeRecoveryCode(deps.db, person, text);
  const owner = await checkPasskey(deps, { text, browser, purpose: 'confirm' }, person.id);
  return owner === undefined ? { kind: 'wrong' } : { kind: 'right' };
}

/** Nobody guesses one, so wrong ones are not counted. */
async function judgeRecoveryCode(db: Db, person: Someone, code: string): Promise<JudgedFactor> {
  return holdingPerson(db, person.id, async (transaction) => {
    const left = await spendCode(transaction, person.id, digestOfCode(code));
    if (left === undefined) return { kind: 'wrong' };
    await recordAboutPerson(transaction, { person, action: 'person.recovery-code', details: { left } });
    const by = { kind: 'owner', name: person.email } as const;
    await recordPersonEvent(transaction, { personId: person.id, event: 'code.used', by });
    return { kind: 'right', left };
  });
}

async function judgeCode(db: Db, personId: string, code: string): Promise<JudgedFactor> {
  const guesses = guessesOf(personId);
  const seconds = await countGuesses(db, [guesses]);
  if (seconds > 0) return { kind: 'paused', seconds };
  const app = await findApp(db, personId);
  const step = app && stepOfCode(app.secret, code, app.seconds, app.lastStep);
  if (!app || step === undefined || !(await spendStep(db, app.id, step))) return { kind: 'wrong' };
  await forgetGuesses(db, guesses);
  return { kind: 'right' };
}
