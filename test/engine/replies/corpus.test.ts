/** Real replies, each with the public page that it was read on. Nothing in them was changed. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readReply } from '../../../src/engine/replies/classify.ts';
import type { Meaning, ReplyStage } from '../../../src/engine/replies/reply.ts';

interface Sample {
  readonly provider: string;
  readonly stage: ReplyStage;
  readonly code: number;
  readonly lines: readonly string[];
  readonly mailHost?: string;
  readonly recipient?: string;
  readonly meaning: Meaning;
  /** Given where the server asks for fewer conversations, too. */
  readonly slowDown?: boolean;
  readonly source: string;
}

const samples: readonly Sample[] = JSON.parse(
  readFileSync(new URL('../replies.json', import.meta.url), 'utf8'),
);

function read({ code, lines, stage, recipient, mailHost }: Sample) {
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

  it('has 150 replies of 40 providers at least, each once and with a source', () => {
    expect(samples.length).toBeGreaterThanOrEqual(150);
    expect(new Set(samples.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(40);
    const texts = samples.map(({ code, stage, lines }) => [code, stage, ...lines].join('\n'));
    expect(new Set(texts).size).toBe(texts.length);
    expect(samples.filter(({ source }) => !/^https?:\/\//.test(source))).toEqual([]);
  });
});
