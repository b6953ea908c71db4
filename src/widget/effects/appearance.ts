/**
 * Everything that a page can see of one field: the attributes on its input, the hidden inputs, and what the face shows.
 * Other files decide what that is.
 */

import type { FieldState, Opinion } from '../field-state.ts';
import type { Options } from '../options.ts';
import { attributeOf, create, findAll, setAttribute } from '../prototypes.ts';
import type { Face, Show } from '../seam.ts';
import { describeBy, lend } from './attributes.ts';
import { carry } from './result-field.ts';

/** The part of a field that its appearance uses. */
export interface Described {
  readonly _input: HTMLInputElement;
  readonly _state: FieldState;
  _isBlocking(): boolean | undefined;
  /** The event after which the browser's bubble says the text. */
  _bubble?: Event | undefined;
  /** Puts an address into the input, as if the visitor had typed it. */
  _takeSuggestion(address: string): void;
}

const MIRROR = 'data-email-verify';
/** Tells themes not to style an input as valid next to "Did you mean …?". */
const HINT = 'data-email-verify-hint';

export interface Appearance {
  /**
   * Updates everything for the visitor, for style sheets and for the form's server.
   *
   * @param face shows the status, once it is there
   */
  _show(said: Opinion, options: Options, face: Face | false | undefined): void;
  _release(): void;
}

export function createAppearance(field: Described): Appearance {
  const { _input: input } = field;
  cleanse(input);
  const setBusy = lend(input, 'aria-busy');
  const setInvalid = lend(input, 'aria-invalid');
  let result: HTMLInputElement | undefined;
  let proof: HTMLInputElement | undefined;
  let show: Show | undefined;

  return {
    _show(said, { resultField, proofField, statusAppendTo, style }, face) {
      const { _phase: phase, _subject: subject, _verdict: verdict } = field._state;
      const isBlocking = field._isBlocking();
      setInvalid(isBlocking ? 'true' : null);
      setBusy(phase === 'verifying' ? 'true' : null);
      setAttribute(input, MIRROR, /unjudged|skipped/.test(phase) ? null : phase);
      setAttribute(input, HINT, phase === 'accepted' && verdict?._template ? '' : null);
      const answer = verdict?._answer;
      result = carry(result, input.form, resultField, answer?.body);
      // A proof is about one address, and the form submits the whole value.
      proof = carry(proof, input.form, proofField, subject === verdict?._address && answer?._proof);
      if (!face) return;
      // A live region exists before its first text, which the next call shows.
      const isNew = !show;
      show ??= face(input, (address) => field._takeSuggestion(address), create, findAll, AbortController);
      const tone = isBlocking ? 'rejected' : phase;
      const { _template: text, _suggestion: suggestion, _address: about } = said;
      const id = show(
        isNew ? '' : text,
        suggestion,
        about,
        tone,
        style.loadingIconColor,
        statusAppendTo,
        field._bubble,
      );
      describeBy(input, id as string);
    },

    _release() {
      show?.();
      describeBy(input, '');
    },
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
