/** Forms one opinion from the results of a field's addresses, by the current policy. Pure. */

import type { Allow } from '../../protocol/policy.ts';
import type { Opinion } from '../field-state.ts';
import { judge, type Messages } from './policy.ts';
import { isAnswer, type Outcome } from './request.ts';

/** One address of a field, with its outcome. An address that the page skips has none. */
export interface Part {
  readonly _address: string;
  _outcome?: Outcome | undefined;
}

/**
 * The first rejected address decides. Without one, the first with a message decides, or else the first.
 *
 * @param isList whether the field takes several addresses. The message then names the address that it is about
 * @param sentence the browser's own sentence for a value that cannot be an address, or an empty text
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
    // Only results of the widget itself have no HTTP status: the value cannot be an address.
    const own = !outcome.status && (messages.malformed || sentence);
    const verdict = judge(outcome._result, allow, own ? { ...messages, invalid: own } : messages);
    const { _template: template } = verdict;
    // The browser's sentence already covers the whole list.
    const isNamed = isList && template && template !== sentence;
    return [
      {
        ...verdict,
        _template: isNamed ? `${address}: ${template}` : template,
        _address: address,
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
