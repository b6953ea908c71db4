import type { Static } from '@sinclair/typebox';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { parseResult, STATES, type VerificationResult } from '../../src/protocol/result.ts';
import type { ResultSchema } from '../../src/service/verify/verify-schema.ts';

describe('a result', () => {
  it('has the type that the API documents, for pages and for their servers', () => {
    expectTypeOf<VerificationResult>().toEqualTypeOf<Static<typeof ResultSchema>>();
  });

  it.each(STATES)('may have the state %s', (state) => {
    expect(parseResult(`{"state":"${state}"}`)).toMatchObject({ state });
  });

  it('keeps every attribute unchanged, known or not, of any type', () => {
    const sent = {
      state: 'risky',
      did_you_mean: 7,
      free: 'yes',
      mailbox_full: true,
      birth_year: null,
      novel: { a: [1] },
    };
    expect({ ...parseResult(JSON.stringify(sent)) }).toEqual(sent);
  });
});

it.each([
  ['nothing at all', ''],
  ['markup', '<!doctype html><title>Log in to this network</title>'],
  ['JSON that breaks off', '{"state":"deliverable"'],
  ['more than one JSON value', '{"state":"deliverable"}{"state":"deliverable"}'],
  ['null', 'null'],
  ['a number', '249'],
  ['a text', '"deliverable"'],
  ['a truth value', 'true'],
  ['an empty list', '[]'],
  ['a list that holds a result', '[{"state":"deliverable"}]'],
  ['an empty object', '{}'],
  ['a message', '{"message":"Rate Limit Exceeded"}'],
  ['a state that is not documented', '{"state":"accepted"}'],
  ['a state in another case', '{"state":"Deliverable"}'],
  ['an empty state', '{"state":""}'],
  ['a state of another type', '{"state":["deliverable"]}'],
  ['no state but null', '{"state":null}'],
  ['a state further down', '{"result":{"state":"deliverable"}}'],
  ['a state that is inherited', '{"__proto__":{"state":"deliverable"}}'],
])('does not take %s for a result', (_, text) => {
  expect(parseResult(text)).toBeUndefined();
});

describe('in a page that has extended Object.prototype', () => {
  const extended = Object.prototype as Record<string, unknown>;
  afterEach(() => {
    delete extended.state;
    delete extended.disposable;
  });

  it('reads no state from the prototype', () => {
    extended.state = 'deliverable';
    expect(parseResult('{}')).toBeUndefined();
    expect(parseResult('[]')).toBeUndefined();
    expect(parseResult('1')).toBeUndefined();
  });

  it('reads no attribute from the prototype', () => {
    extended.disposable = true;
    expect(parseResult('{"state":"deliverable"}')?.disposable).toBeUndefined();
  });
});
