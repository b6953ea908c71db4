/**
 * What can be seen of one field: the attributes on its input, the hidden result and the status element. Shows what
 * it is told; decides nothing.
 */

import type { Verdict } from '../check/policy.ts';
import type { FieldState } from '../field-state.ts';
import type { Options } from '../options.ts';
import { attributeOf, findAll, setAttribute } from '../prototypes.ts';
import { describeBy, lend } from './attributes.ts';
import { findHome } from './home.ts';
import { showResult } from './result-field.ts';
import { createStatus, type Described, type Status } from './status.ts';

const MIRROR = 'data-email-verify';
/** So that no theme draws "valid" where the visitor reads "Did you mean …?". */
const HINT = 'data-email-verify-hint';

export interface Appearance {
  /**
   * Brings all of it up to date: what the visitor reads, and what style sheets and the form's server get.
   *
   * @param hasStatus whether the status element is there: a live region has to be there before its first text
   */
  _show(
    said: Verdict,
    state: FieldState,
    isBlocking: boolean,
    options: Options,
    hasStatus: boolean | undefined,
  ): void;
  _takeAway(): void;
}

export function createAppearance(field: Described): Appearance {
  const { _input: input } = field;
  cleanse(input);
  const setBusy = lend(input, 'aria-busy');
  const setInvalid = lend(input, 'aria-invalid');
  let hidden: HTMLInputElement | undefined;
  let status: Status | undefined;

  return {
    _show(
      said,
      { _phase: phase, _verdict: verdict },
      isBlocking,
      { resultField, statusAppendTo, style },
      hasStatus,
    ) {
      setInvalid(isBlocking ? 'true' : null);
      setBusy(phase === 'verifying' ? 'true' : null);
      setAttribute(input, MIRROR, /unjudged|skipped/.test(phase) ? null : phase);
      setAttribute(input, HINT, phase === 'accepted' && verdict?._template ? '' : null);
      hidden = showResult(hidden, input.form, resultField, verdict?._answer?.body ?? '');
      if (!hasStatus) return;
      status ??= createStatus(field);
      status._tell(
        findHome(input, statusAppendTo),
        said,
        phase === 'verifying' ? phase : isBlocking ? 'rejected' : 'hint',
        style.loadingIconColor,
      );
    },

    _takeAway: () => status?._takeAway(),
  };
}

/** The inputs of the document that our attributes are on. */
export const marked = (): HTMLInputElement[] =>
  findAll(`input:is([${MIRROR}],[aria-describedby*=email-verify-status])`);

/**
 * Takes our attributes from an input that no field of ours has written them on: a page that clones a row, or
 * restores its markup, copies them along. `aria-…` is ours where `data-email-verify` stands.
 */
export function cleanse(input: Element): void {
  describeBy(input, '');
  if (attributeOf(input, MIRROR) === null) return;
  for (const name of ['aria-busy', 'aria-invalid', MIRROR, HINT]) setAttribute(input, name, null);
}
