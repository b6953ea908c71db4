/**
 * `replies.json`: real replies, each with the public page that it was read on. The local parts of persons are `name`.
 * Nothing else in them was changed.
 * `replies/wordings.json`: texts from public lists of bounces, whose placeholders were filled in.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readReply } from '../../../src/engine/replies/classify.ts';
import type { Meaning, ReplyStage } from '../../../src/engine/replies/reply.ts';

interface Wording {
  readonly stage: ReplyStage;
  readonly code: number;
  readonly lines: readonly string[];
  readonly recipient?: string;
  readonly meaning: Meaning;
  /** Given where the server asks for fewer conversations, too. */
  readonly slowDown?: boolean;
}

interface Sample extends Wording {
  readonly provider: string;
  readonly mailHost?: string;
  readonly source: string;
}

const samples: readonly Sample[] = load('../replies.json');
const wordings: readonly Wording[] = load('wordings.json');

function load(file: string) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

function read({ code, lines, stage, recipient, mailHost }: Wording & { readonly mailHost?: string }) {
  return readReply(
    { code, lines },
    {
      stage,
      recipient: recipient ?? 'someone@mailbox-owner.example',
      sender: 'probe@verify.example',
      helo: 'verify.example',
      mailHost: mailHost ?? 'mx.mailbox-owner.example',
    },
  );
}

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

  it('has 150 replies of 40 providers at least, each once and with a source', () => {
    expect(samples.length).toBeGreaterThanOrEqual(150);
    expect(new Set(samples.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(40);
    const texts = samples.map(({ code, stage, lines }) => [code, stage, ...lines].join('\n'));
    expect(new Set(texts).size).toBe(texts.length);
    expect(samples.filter(({ source }) => !/^https?:\/\//.test(source))).toEqual([]);
  });
});
