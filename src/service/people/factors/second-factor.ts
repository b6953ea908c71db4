/** Checks the second factor of a person: a code of the app, a passkey, or a recovery code. */
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { countGuesses, forgetGuesses, type GuessSubject } from '../sign-in/guesses.ts';
import { findApp, spendStep } from './authenticator-app-store.ts';
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
  personId: string,
  sent: SentFactor,
  browser: string,
): Promise<JudgedFactor> {
  const { db } = deps;
  switch (sent.kind) {
    case 'code':
      return judgeCode(db, personId, sent.text);
    case 'recovery-code': {
      // Nobody guesses one, so wrong ones are not counted.
      const left = await spendCode(db, personId, digestOfCode(sent.text));
      return left === undefined ? { kind: 'wrong' } : { kind: 'right', left };
    }
    case 'passkey': {
      const { text } = sent;
      const owner = await checkPasskey(deps, { text, browser, purpose: 'confirm' }, personId);
      return owner === undefined ? { kind: 'wrong' } : { kind: 'right' };
    }
  }
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
