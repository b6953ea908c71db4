import { describe, expect, it } from 'vitest';
import { type FieldState, isPending, transition, UNJUDGED } from '../../src/widget/field-state.ts';

const PHASES = ['waiting', 'verifying', 'accepted', 'rejected', 'error', 'skipped'] as const;
type Phase = FieldState['_phase'];

const about = (subject: string, phase: Phase): FieldState => ({ _phase: phase, _subject: subject });
const ofOld = PHASES.map((phase) => about('old', phase));
const every = [UNJUDGED, ...ofOld];

describe('a change', () => {
  it.each(every)('voids the state at once: $_phase', (present) => {
    expect(transition(present, about('new', 'waiting'))).toEqual(about('new', 'waiting'));
  });

  it.each(every)('to an empty value ends in unjudged: $_phase', (present) => {
    expect(transition(present, about('', 'waiting'))).toBe(UNJUDGED);
  });
});

describe('an outcome for another value changes nothing', () => {
  const outcomes = PHASES.filter((phase) => phase !== 'waiting');
  it.each(outcomes)('%s', (phase) => {
    for (const present of every) expect(transition(present, about('older', phase))).toBe(present);
  });
});

describe('an outcome for the current value counts', () => {
  it.each(['accepted', 'rejected', 'error', 'skipped'] as const)('%s', (phase) => {
    for (const present of ofOld)
      expect(transition(present, about('old', phase))).toEqual(about('old', phase));
  });

  it('with its verdict', () => {
    const _answer = { status: 200, body: '{}', _result: { state: 'risky' } } as const;
    const verdict = { _rejects: true, _template: 'No.', _suggestion: '', _address: 'old', _answer };
    const next: FieldState = { _phase: 'rejected', _subject: 'old', _verdict: verdict };
    expect(transition(about('old', 'verifying'), next)).toEqual(next);
  });
});

it.each(every)('forgets everything at a reset: $_phase', (present) => {
  expect(transition(present, UNJUDGED)).toBe(UNJUDGED);
});

describe('a closed field', () => {
  const closed: FieldState = { _phase: 'waiting', _subject: 'old', _closed: true };

  it('stays closed when its request is sent', () => {
    expect(transition(closed, about('old', 'verifying'))._closed).toBe(true);
    expect(transition(about('old', 'waiting'), about('old', 'verifying'))._closed).toBeFalsy();
  });

  it.each(['accepted', 'rejected', 'error', 'skipped'] as const)('opens when it is %s', (phase) => {
    expect(transition({ ...closed, _phase: 'verifying' }, about('old', phase))._closed).toBeFalsy();
  });

  it('opens when the value changes', () => {
    expect(transition(closed, about('new', 'waiting'))._closed).toBeFalsy();
    expect(transition(closed, about('', 'waiting'))._closed).toBeFalsy();
  });
});

it('is pending from the change until the verdict', () => {
  expect(every.filter(isPending).map(({ _phase: phase }) => phase)).toEqual(['waiting', 'verifying']);
});

it('remembers nothing of the state before', () => {
  const failed: FieldState = { _phase: 'error', _subject: 'old', _failure: { status: 500, message: 'x' } };
  expect(transition(failed, about('new', 'waiting'))).toEqual(about('new', 'waiting'));
  expect(transition(failed, about('old', 'verifying'))).not.toHaveProperty('failure');
});
