/**
 * The seam between the widget and its face. The widget decides what stands for an input, and the face shows it. They are
 * two files, and the functions below are all that connects them. The build shortens names in each file by itself, so they
 * pass no objects.
 */

import type { FieldState } from './field-state.ts';
import type { create, findAll } from './prototypes.ts';

/** Decides the look: a spinner if `verifying`, a warning if `rejected`, a hint if `accepted`. Others have no text. */
export type Tone = FieldState['_phase'];

/** Stands in a text for the suggestion. */
export const PLACEHOLDER = '[EMAIL]';

/**
 * Shows what stands for one input. Without arguments, it removes everything from the page.
 *
 * @param text has `[EMAIL]` in the place of the suggestion. An empty text shows nothing
 * @param suggestion the suggested address, or an empty text
 * @param about the address that it corrects
 * @param color the option `style.loadingIconColor`
 * @param parent the option `statusAppendTo`
 * @param bubble the `invalid` event after which the browser's own bubble says the text
 * @returns the id of the element that describes the input, or nothing without arguments
 */
export type Show = (
  text?: string,
  suggestion?: string,
  about?: string,
  tone?: Tone,
  color?: string,
  parent?: string | Element,
  bubble?: Event,
) => string | undefined;

/**
 * Starts to show one input. What follows `take` is what the face uses of the platform, as it was when the widget was
 * loaded: the face comes later, and a page may have defined a `class AbortController` or a `function Node` meanwhile.
 *
 * @param take puts the suggestion into the input, as if the visitor had typed it
 */
export type Face = (
  input: HTMLInputElement,
  take: (suggestion: string) => void,
  ...platform: Platform
) => Show;

export type Platform = [
  create: typeof create,
  findAll: typeof findAll,
  abortController: typeof AbortController,
];

/** Written in by the build. */
declare const VERSION: string;

/** Of one version, because another version's face may expect other names. */
const MARK = Symbol.for(`email-verify-status ${VERSION}`);
type Marked = { [MARK]?: Face | undefined };

/** The face, once its file has run. */
export const presentFace = (): Face | undefined => (globalThis as Marked)[MARK];

export const setPresentFace = (face: Face | undefined): void => {
  (globalThis as Marked)[MARK] = face;
};
