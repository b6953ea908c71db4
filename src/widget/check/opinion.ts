/** What a field makes of its addresses' answers: one opinion, by the policy that holds now. Pure. */

import type { Opinion } from '../field-state.ts';
import { type Allow, judge, type Messages } from './policy.ts';
import { isAnswer, type Outcome } from './request.ts';

/** An address's part in the verdict: an outcome, or nothing when the page wants it left alone. */
export interface Part {
  readonly _address: string;
  _outcome?: Outcome | undefined;
}

/**
 * The first rejected address decides. Otherwise the first with a message decides, otherwise the first.
 *
 * @param isList whether the field takes several addresses: then the message names the address that it is about
 * @param sentence the browser's own sentence for a value that cannot be an address; may be empty
 */
export function formOpinion(
  parts: readonly Part[],
  allow: Allow,
  messages: Messages,
  isList: boolean,
  sentence: string,
): Opinion | undefined {
  const opinions = parts.flatMap(({ _address: address, _outcome: outcome }): Opinion[] => {
    if (!outcome || !isAnswer(outcome)) return [];
    // Only what the widget itself knows has no HTTP status: the value cannot be an address.
    const own = !outcome.status && (messages.malformed || sentence);
    const verdict = judge(outcome._result, allow, own ? { ...messages, invalid: own } : messages);
    const { _template: template } = verdict;
    // The browser's sentence is about the whole list already.
    const isNamed = isList && template && template !== sentence;
    return [
      {
        ...verdict,
        _template: isNamed ? `${address}: ${template}` : template,
        _about: address,
        _answer: outcome,
      },
    ];
  });
  return (
    opinions.find(({ _rejects: rejects }) => rejects) ??
    opinions.find(({ _template: template }) => template) ??
    opinions[0]
  );
}
