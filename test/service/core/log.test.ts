import { afterEach, describe, expect, it, vi } from 'vitest';
import { bufferLines, describeError, hideKeys, jsonLog } from '../../../src/service/core/log.ts';

it('writes one line of JSON for each event, whatever is in it', () => {
  const write = vi.fn();
  jsonLog(write, () => 0)('warn', 'event', { text: 'two\nlines' });
  const line = '{"time":"1970-01-01T00:00:00.000Z","level":"warn","event":"event","text":"two\\nlines"}\n';
  expect(write.mock.calls).toEqual([[line]]);
});

it('says when each event was, those of one moment included', () => {
  const write = vi.fn();
  const moments = [0, 0, 1];
  const log = jsonLog(write, () => moments.shift()!);
  for (const event of ['one', 'two', 'three']) log('info', event);
  const times = write.mock.calls.map(([line]) => JSON.parse(line).time);
  expect(times).toEqual([0, 0, 1].map((ms) => `1970-01-01T00:00:00.00${ms}Z`));
});

it('tells of an error where it happened, and nothing that it says', () => {
  const errors: unknown[] = [
    new Error('no such address: jane@company.example'),
    new Error('first line\n    at jane@company.example (live_hush)'),
    Object.assign(new TypeError('jane'), { code: 'jane@company.example' }),
    Object.assign(new TypeError('jane'), { code: { toJSON: () => 'jane' } }),
    new Error('', { cause: Object.assign(new Error('jane'), { code: 'ECONNREFUSED' }) }),
    'jane@company.example',
  ];
  const told = errors.map(describeError);
  expect(JSON.stringify(told)).not.toMatch(/jane|company|hush/);
  expect(told.map(({ error }) => error)).toEqual([...Array(4).fill('Error'), 'ECONNREFUSED', 'string']);
  expect(told[0]!.at).toMatch(/^at .*log\.test\.ts/);
  expect(told.at(-1)!.at).toBe('');
});

it('tells of the five calls that are nearest to the error, in one line', () => {
  const error = new Error('jane');
  error.stack = ['Error: jane', ...'abcdefg'].join('\n    at ');
  expect(describeError(error)).toEqual({ error: 'Error', at: 'at a at b at c at d at e' });
  delete error.stack;
  expect(describeError(error).at).toBe('');
});

it('keeps to itself what an error said before its message was changed', () => {
  const error = new Error('changed');
  error.stack = 'Error: look at jane@company.example\n    at a';
  expect(describeError(error).at).toBe('at a');
});

it('tells the system’s code of an error, unless it could be something else', () => {
  const codeOf = (code: string) => describeError(Object.assign(new Error(''), { code })).error;
  const codes = ['ECONNREFUSED', 'UND_ERR_1', 'E'.repeat(60)];
  expect(codes.map(codeOf)).toEqual(codes);
  expect(['', 'E'.repeat(61), 'E X', 'E@x', '@E', 'E@'].map(codeOf)).toEqual(Array(6).fill('Error'));
  expect(describeError(new TypeError('jane')).error).toBe('TypeError');
  expect(describeError(Object.assign(new Error(''), { code: 20 })).error).toBe('Error');
});

it('takes the keys out of a text, and leaves the rest', () => {
  const message = 'got "test_…" and live_…, not latest_ or testing';
  expect(hideKeys('got "test_public-1" and live_x, not latest_ or testing')).toBe(message);
  expect(hideKeys('live_a live_b')).toBe('live_… live_…');
});

describe('lines that are written together', () => {
  afterEach(() => void vi.useRealTimers());

  function startBuffer() {
    vi.useFakeTimers();
    const written: string[] = [];
    return { written, lines: bufferLines((text) => void written.push(text)) };
  }

  it('are written a tenth of a second after the first of them, in their order, and once', () => {
    const { written, lines } = startBuffer();
    lines.add('one\n');
    vi.advanceTimersByTime(99);
    lines.add('two\n');
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(written).toEqual(['one\ntwo\n']);
    vi.advanceTimersByTime(1000);
    lines.add('three\n');
    vi.advanceTimersByTime(100);
    expect(written).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('are written at once where that is asked for, and not again', () => {
    const { written, lines } = startBuffer();
    lines.add('one\n');
    lines.flush();
    lines.flush();
    vi.advanceTimersByTime(1000);
    expect(written).toEqual(['one\n']);
  });

  it('never grow to more than some kilobytes', () => {
    const { written, lines } = startBuffer();
    const line = `${'x'.repeat(127)}\n`;
    for (let count = 0; count < 1000; count += 1) lines.add(line);
    expect(Math.max(...written.map((text) => text.length))).toBeLessThanOrEqual(16 * 1024 + line.length);
    lines.flush();
    expect(written.join('')).toBe(line.repeat(1000));
  });
});
