/**
 * `replies.json`: real replies, each with the public page that it was read on. The local parts of persons are `name`.
 * Nothing else in them was changed. "stage" is what the source shows: `data` for a reply to the message itself, `bounce`
 * for a text of a bounce, or of a list of bounces, that does not show it.
 * `replies/wordings.json`: texts from public lists of bounces, whose placeholders were filled in. They have no sources. They
 * show that a change reads nothing differently, and no phrase rests on them.
 */
import { describe, expect, it } from 'vitest';
import { readReply } from '../../../src/engine/replies/classify.ts';
import { loadReplies, loadWordings, type Sample } from './corpus.ts';

const samples = loadReplies();
const wordings = loadWordings();

/** The engine sends no message. A server could say at RCPT what it says of one, and then it must be read as well. */
const stageOf = (stage: Sample['stage']) => (stage === 'data' || stage === 'bounce' ? 'rcpt' : stage);

const read = ({ code, lines, stage, recipient, mailHost }: Sample) =>
  readReply(
    { code, lines },
    {
      stage: stageOf(stage),
      recipient: recipient ?? 'someone@mailbox-owner.example',
      sender: 'probe@verify.example',
      helo: 'verify.example',
      mailHost: mailHost ?? 'mx.mailbox-owner.example',
    },
  );

describe('the corpus of replies', () => {
  it.each(samples)('reads what $provider says at $stage: $code $lines.0', (sample) => {
    const { meaning, slowDown } = read(sample);
    expect(meaning).toBe(sample.meaning);
    if (sample.slowDown) expect(slowDown).toBe(true);
  });

  it.each(wordings)('reads the wording at $stage: $code $lines.0', (wording) => {
    const { meaning, slowDown } = read(wording);
    expect(meaning).toBe(wording.meaning);
    if (wording.slowDown) expect(slowDown).toBe(true);
  });

  it('has 600 replies of 130 providers at least, each once, with a source and a stage', () => {
    expect(samples.length).toBeGreaterThanOrEqual(600);
    expect(new Set(samples.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(130);
    const expected = new Set(['banner', 'ehlo', 'mail', 'rcpt', 'data', 'bounce']);
    expect(new Set(samples.map(({ stage }) => stage))).toEqual(expected);
    const texts = samples.map(({ code, stage, lines }) => [code, stage, ...lines].join('\n'));
    expect(new Set(texts).size).toBe(texts.length);
    expect(samples.filter(({ source }) => !/^https?:\/\//.test(source))).toEqual([]);
    const afterData = samples.filter(({ lines }) => /end of DATA/i.test(lines.join(' ')));
    expect(afterData.filter(({ stage }) => stage === 'rcpt')).toEqual([]);
  });
});
