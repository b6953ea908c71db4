import { describe, expect, it } from 'vitest';
import { markTerms, snippetOf } from '../../../src/service/docs/search-snippet.ts';

const written = (parts: ReturnType<typeof snippetOf>) =>
  parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('');

describe('a snippet', () => {
  it('marks every term, in the case of the text', () => {
    expect(written(snippetOf('Keys: a key, THE KEY.', ['key', 'the']))).toBe('Keys: a [key], [THE] [KEY].');
  });

  it('begins near the first match and ends at a space, with an ellipsis where text is left out', () => {
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
    const snippet = written(snippetOf(words, ['word100']));
    expect(snippet).toMatch(/^… word\d+ .* \[word100\] .* word\d+ …$/);
    expect(snippet.length).toBeLessThan(200);
  });

  it('is the beginning of the text if no term is in it', () => {
    expect(written(snippetOf(`One two ${'three '.repeat(100)}`, ['four']))).toMatch(/^One two three .* …$/);
    expect(written(snippetOf('Short.', []))).toBe('Short.');
    expect(written(snippetOf('', ['a']))).toBe('');
  });

  it('cuts a text without spaces', () => {
    const parts = snippetOf(`${'x'.repeat(5000)} key ${'y'.repeat(5000)}`, ['key']);
    expect(written(parts)).toMatch(/\[key\]/);
    expect(written(parts).length).toBeLessThan(400);
  });

  it('marks a part of a name only if no whole word matches', () => {
    expect(written(markTerms('verifyAfterDelay', ['delay']))).toBe('verifyAfter[Delay]');
    expect(written(markTerms('keyboard key', ['key']))).toBe('keyboard [key]');
  });

  it('takes the marks of regular expressions for text', () => {
    expect(written(markTerms('a.b (c)', ['(c)', '.']))).toContain('a');
  });
});
