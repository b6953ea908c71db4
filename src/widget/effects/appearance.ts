/**
 * Everything that a page can see of one field: the attributes on its input, the hidden result and the status element.
 * Other files decide what it shows.
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
/** Tells themes not to style an input as valid next to "Did you mean …?". */
const HINT = 'data-email-verify-hint';

export interface Appearance {
  /**
   * Updates everything for the visitor, for style sheets and for the form's server.
   *
   * @param hasStatus whether to create the status element. A live region must exist before its first text
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

/** The inputs of the document with our attributes. */
export const marked = (): HTMLInputElement[] =>
  findAll(`input:is([${MIRROR}],[aria-describedby*=email-verify-status])`);

/**
 * Removes our attributes from an input without a field. Pages copy them when they clone a row or restore markup. The
 * `aria-…` attributes are ours if `data-email-verify` is there too.
 */
export function cleanse(input: Element): void {
  describeBy(input, '');
  if (attributeOf(input, MIRROR) === null) return;
  for (const name of ['aria-busy', 'aria-invalid', MIRROR, HINT]) setAttribute(input, name, null);
}
