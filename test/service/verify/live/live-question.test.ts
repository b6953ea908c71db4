import { createCipheriv, hkdfSync } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Verified } from '../../../../src/engine/verifier.ts';
import {
  openOutcome,
  type Question,
  sealOutcome,
} from '../../../../src/service/verify/live/live-question.ts';
import { resultOf } from '../../support/result.ts';

const QUESTION: Question = { accountId: 'acc_1', address: 'ada@example.com', smtp: true, acceptAll: false };
const RESULT = resultOf(QUESTION.address);
const VERIFIED: Verified = {
  result: RESULT,
  evidence: [{ atMs: 3, tookMs: 2, stage: 'rcpt', server: 'mx.example.com', code: 250, text: '250 OK' }],
};

it('opens a result and its evidence for an equal question only', () => {
  const sealed = sealOutcome(QUESTION, VERIFIED);
  expect(openOutcome({ ...QUESTION }, sealed)).toEqual(VERIFIED);
  expect(() => openOutcome({ ...QUESTION, smtp: false }, sealed)).toThrow();
});

it('opens what an older release has kept, without evidence', () => {
  // As release 2.0 sealed it: the result alone.
  const { accountId, address, smtp, acceptAll } = QUESTION;
  const text = JSON.stringify([accountId, address, smtp, acceptAll]);
  const key = Buffer.from(hkdfSync('sha256', text, '', 'verification outcome', 32));
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  const body = Buffer.concat([cipher.update(JSON.stringify(RESULT)), cipher.final()]);
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
  expect(openOutcome(QUESTION, sealed)).toEqual({ result: RESULT, evidence: [] });
});
