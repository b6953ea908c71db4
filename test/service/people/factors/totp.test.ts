import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { appUri, makeAppSecret, stepOfCode } from '../../../../src/service/people/factors/totp.ts';

/** The key of RFC 6238, appendix B: the ASCII text 12345678901234567890. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const NOW = 1_111_111_111;
const STEP = Math.floor(NOW / 30);
const codeAt = (seconds: number) => generateSync({ secret: SECRET, epoch: seconds });

describe('a code of an authenticator app', () => {
  // The last six of the eight digits there.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('is that of RFC 6238 at %i', (seconds, code) => {
    expect(stepOfCode(SECRET, code, seconds, null)).toBe(Math.floor(seconds / 30));
  });

  it('may be one step early or late, and no more', () => {
    const found = [-60, -30, 0, 30, 60].map((off) => stepOfCode(SECRET, codeAt(NOW + off), NOW, null));
    expect(found).toEqual([undefined, STEP - 1, STEP, STEP + 1, undefined]);
  });

  it('counts only if its step is later than the last accepted one', () => {
    const codes = [-30, 0, 30].map((off) => codeAt(NOW + off));
    const found = [STEP - 2, STEP - 1, STEP, STEP + 1, STEP + 1000].map((last) =>
      codes.map((code) => stepOfCode(SECRET, code, NOW, last) !== undefined),
    );
    expect(found).toEqual([
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false],
      [false, false, false],
    ]);
  });

  it('may have spaces', () => {
    const code = codeAt(NOW);
    expect(stepOfCode(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}\t`, NOW, null)).toBe(STEP);
  });

  it.each(['', '12345', '1234567', '12345a', '１２３４５６', '-12345', '1e5'])('is not %j', (code) => {
    expect(stepOfCode(SECRET, code, NOW, null)).toBeUndefined();
  });
});

it('makes keys of 160 bits, each another', () => {
  const keys = [makeAppSecret(), makeAppSecret()];
  expect(keys[0]).toMatch(/^[A-Z2-7]{32}$/);
  expect(keys[0]).not.toBe(keys[1]);
});

it('names the service and the person in the QR code', () => {
  expect(appUri(SECRET, 'ada+x@example.com')).toBe(
    `otpauth://totp/Email%20verification:ada%2Bx%40example.com?secret=${SECRET}&issuer=Email%20verification`,
  );
});
