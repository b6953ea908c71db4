import { describe, expect, it } from 'vitest';
import { cleanReply, RECIPIENT } from '../../../src/engine/replies/clean.ts';
import { MOST_CHARACTERS } from '../../../src/engine/replies/fold.ts';
import { CONTEXT } from './samples.ts';

function clean(text: string, context = {}) {
  return cleanReply({ code: 550, lines: text.split('\n') }, { ...CONTEXT, ...context });
}

describe('cleaning a reply', () => {
  it.each([
    ['the recipient', 'no <jane.roe@company.example> here'],
    ['the recipient in another case', 'no JANE.ROE@Company.Example here'],
    ['our sender', 'no probe@verify.example here'],
    ['any other address', 'no <blocked@unblocked.example>, here'],
    ['an address with a quoted local part', 'no "over quota"@company.example here'],
    ['a local part in brackets', 'no <jane.roe> here'],
    ['an IP address', 'no 192.0.2.77 here'],
    ['an IP address of version 6', 'no 2001:db8::7 here'],
    ['a URL', 'no https://mail.example/user-unknown?code=5.1.1 here'],
    ['a URL without a scheme', 'no www.mail.example/blocked here'],
    ['the name of a host', 'no full.mailbox.example here'],
    ['the name of our host', 'no out1.verify.example here'],
    ['a name with letters of its own', 'no postfach.übervoll.de here'],
    ['controls and characters that are invisible', 'no \u0000\u200b\u202e\ufffd\u0007 here'],
  ])('removes %s', (_, text) => {
    expect(clean(text).words).toBe(' no here ');
  });

  it.each([
    ['our sender', 'noprobe@verify.examplehere'],
    ['the recipient', 'nojane.roe@company.examplehere'],
    ['an IP address', 'no192.0.2.77here'],
    ['a control', 'no\u0007here'],
  ])('removes %s, and keeps the words around it apart', (_, text) => {
    expect(clean(text)).toMatchObject({ words: ' no here ', mailboxWords: ' no here ' });
  });

  it('makes no word of what is on both sides of an IP address or of our command', () => {
    expect(clean('不2001:db8::7存在').words).toBe(' 不 存在 ');
    expect(clean('不RCPT TO:存在').mailboxWords).toBe(' 不 存在 ');
  });

  it('keeps a local part with a bracket on one side only', () => {
    expect(clean('no (jane here', { recipient: 'jane@company.example' }).words).toBe(' no jane here ');
    expect(clean('no jane) here', { recipient: 'jane@company.example' }).words).toBe(' no jane here ');
  });

  it('removes an address with a quoted local part, but not the word before it', () => {
    expect(clean('no"over quota"@company.example here').words).toBe(' no here ');
  });

  it('keeps the words of different lines apart', () => {
    const { words, mailboxWords, recipientWords, wordsAndNames } = clean('no\nhere');
    expect([words, mailboxWords, recipientWords, wordsAndNames]).toEqual(Array(4).fill(' no here '));
  });

  it.each([
    ['a long s', 'no ſmith: here', 'smith'],
    ['a long s in the address', 'no smith: here', 'ſmith'],
    ['the sign of Kelvin', 'no \u212aim here', 'kim'],
    ['a capital with an accent', 'no ÉMILE here', 'émile'],
  ])('removes a local part in another case: %s', (_, text, local) => {
    expect(clean(text, { recipient: `${local}@company.example` }).mailboxWords).toBe(' no here ');
  });

  it('keeps the text for a recipient without a local part', () => {
    for (const text of ['no... here', 'no (,) here', ': no - here', 'no <> here'])
      expect(clean(text, { recipient: '@company.example' }).mailboxWords).toBe(' no here ');
  });

  it('keeps the end of a sentence, which looks like a host name', () => {
    expect(clean('User unknown.See our site').words).toBe(' user unknown see our site ');
  });

  it('keeps the recipient’s bare local part only for words about us', () => {
    const { words, mailboxWords } = clean('the user jane is blocked', { recipient: 'jane@company.example' });
    expect(words).toBe(' the user jane is blocked ');
    expect(mailboxWords).toBe(' the user is blocked ');
  });

  it('keeps a bare local part that is a word of replies', () => {
    expect(clean('no such user', { recipient: 'user@company.example' }).mailboxWords).toBe(' no such user ');
    expect(clean('user: rejected', { recipient: 'user@company.example' }).mailboxWords).toBe(' rejected ');
    for (const text of ['no such user: rejected', 'user rejected'])
      expect(clean(text, { recipient: 'user@company.example' }).mailboxWords).toContain(' user rejected ');
  });

  it('marks the recipient for phrases about it', () => {
    expect(clean('<jane.roe@company.example> is disabled').recipientWords).toBe(` ${RECIPIENT} is disabled `);
  });

  it('keeps names for block lists, but not those of the recipient’s domain', () => {
    const { wordsAndNames } = clean('see https://spamhaus.example and mx1.company.example');
    expect(wordsAndNames).toContain(' spamhaus ');
    expect(wordsAndNames).not.toContain('company');
    expect(clean('see company.example and ours.verify.example').wordsAndNames).toBe(' see and ');
  });

  it.each([
    ['its address', 'no such user probe@verify.example', {}, true],
    ['its domain', 'unknown domain verify.example', {}, true],
    ['nothing, if there is no sender', 'no such user', { sender: '' }, false],
    ['both', 'no jane.roe@company.example for probe@verify.example', {}, false],
    ['an address that two lines only seem to make', 'probe@\nverify.example', {}, false],
  ])('sees whether a reply names only our sender: %s', (_, text, context, namesOnlySender) => {
    expect(clean(text, context)).toMatchObject({ namesOnlySender });
  });

  it('reads the beginning of a reply that is too long', () => {
    const { words, lines } = clean(`${'no '.repeat(MOST_CHARACTERS)}\nmore`);
    expect(words.length).toBeLessThanOrEqual(MOST_CHARACTERS + 2);
    expect(lines).toEqual([expect.any(String)]);
    expect(lines[0]!.length).toBeLessThanOrEqual(MOST_CHARACTERS);
    expect(clean(`${'x'.repeat(MOST_CHARACTERS - 1)}\nmore`).lines).toHaveLength(1);
    expect(clean('\n'.repeat(MOST_CHARACTERS * 2)).lines).toHaveLength(MOST_CHARACTERS);
  });

  it.each(['\ufdfa', '\u3300', '\u1fb7'])('stays short if its characters grow, such as %s', (character) => {
    const { words, wordsAndNames } = clean(character.repeat(MOST_CHARACTERS));
    expect(words.length).toBeLessThanOrEqual(MOST_CHARACTERS + 2);
    expect(wordsAndNames.length).toBeLessThanOrEqual(MOST_CHARACTERS + 2);
  });
});
