import { describe, expect, it } from 'vitest';
import { STAGES } from '../../../../src/engine/verifier.ts';
import { REASONS } from '../../../../src/protocol/result.ts';
import { STATE_OF_REASON } from '../../../../src/protocol/state-of-reason.ts';
import { evidenceTable, sayRule } from '../../../../src/service/dashboard/verify/evidence-table.ts';
import { sayResult } from '../../../../src/service/dashboard/verify/result-words.ts';
import { openAsked, sealAsked } from '../../../../src/service/dashboard/verify/verify-link.ts';
import { resultOf } from '../../support/result.ts';

const say = (changes: object, rule?: string) => sayResult({ ...resultOf('a@b.example'), ...changes }, rule);

describe('a result in words', () => {
  it.each(REASONS)('says what %s means, and what to do now', (reason) => {
    const { headline, because, advice } = say({ reason });
    const beginnings = {
      deliverable: /can receive email/,
      undeliverable: /^Do not send|^This is not/,
      risky: /may or may not exist|of little use/,
      unknown: /^We do not know/,
    };
    expect(headline).toMatch(beginnings[STATE_OF_REASON[reason]]);
    for (const text of [because, advice]) expect(text).toMatch(/^[A-Z].*\.$/);
    // One idea a sentence.
    for (const sentence of `${headline}. ${because} ${advice}`.split(/(?<=\.) /)) {
      expect(sentence.split(' ').length).toBeLessThanOrEqual(20);
    }
  });

  it.each([
    [{ reason: 'accepted_email', role: true }, undefined, 'several people may read it'],
    [{ reason: 'low_quality', disposable: true }, undefined, 'throwaway'],
    [{ reason: 'low_quality', mailbox_full: true }, undefined, 'its mailbox is full'],
    [{ reason: 'low_quality', no_reply: true }, undefined, 'mail to it is not read'],
    [{ reason: 'low_quality', role: true }, undefined, 'a role, so several people may read it'],
    [{ reason: 'low_quality' }, undefined, 'but it is of little use'],
    [{ reason: 'low_deliverability', mailbox_full: true }, 'the mailbox is full', 'takes no more email'],
    [{ reason: 'low_deliverability' }, 'no server was asked', 'No mail server was asked'],
    [{ reason: 'invalid_smtp' }, 'the server speaks no SMTP', 'protocol of mail servers'],
    [{ reason: 'unavailable_smtp' }, 'the refusal is temporary', 'come back later'],
    [{ reason: 'unavailable_smtp' }, 'the refusal does not say why', 'refused to say'],
  ])('tells the cases of %o by %o', (changes, rule, words) => {
    expect(say(changes, rule).because).toContain(words);
  });
});

describe('the evidence', () => {
  it('says what each rule means', () => {
    expect(sayRule('about us: block list')).toContain('nothing about the mailbox');
    expect(sayRule('temporary: temporary code')).toBe('The server asks to come back later.');
    expect(sayRule('the domain takes no mail')).toBeUndefined();
    expect(sayRule('aboutish')).toBeUndefined();
  });

  it('has words for every step, and draws no bar beyond its end', () => {
    const steps = STAGES.map((stage, index) => ({ stage, atMs: index * 100, text: stage, code: 250 }));
    const table = evidenceTable(steps).toString();
    expect(table.match(/<tr role="row"><th scope="row" role="rowheader">[A-Z]/g)).toHaveLength(STAGES.length);
    const bars = [...table.matchAll(/<rect x="([\d.]+)%" width="([\d.]+)%"/g)];
    for (const [, x, width] of bars) expect(Number(x) + Number(width)).toBeLessThanOrEqual(100.1);
    expect(table).toContain('250 rcpt');
  });
});

describe('the link of a result', () => {
  const asked = { address: 'Ünï\u0000"@company.example', acceptAll: true, mode: 'live', at: 5 } as const;

  it('is read by the browser that it was made for, and by nobody else', () => {
    const sealed = sealAsked('one cookie', asked);
    expect(openAsked('one cookie', sealed)).toEqual(asked);
    expect(openAsked('another cookie', sealed)).toBeUndefined();
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[bytes.length - 1]! ^= 1;
    expect(openAsked('one cookie', bytes.toString('base64url'))).toBeUndefined();
    expect(openAsked('one cookie', undefined)).toBeUndefined();
  });

  it('does not tell the address, and is another one each time', () => {
    const links = [sealAsked('cookie', asked), sealAsked('cookie', asked)];
    expect(links[0]).not.toBe(links[1]);
    expect(Buffer.from(links[0]!, 'base64url').toString('latin1')).not.toContain('company');
  });
});
