/** Separates the options of a component's input from those of the page, and makes its attributes. Pure. */

import type { GivenOptions } from 'email-verify-widget';

/** Marks the inputs of components. Their shared widget ignores all other inputs. */
export const MARK = 'data-email-verify-field';

/** Options of one input. All others apply to the whole page. */
const OF_INPUT = [
  ...['allow', 'messages', 'style'],
  ...['verifyAfterDelay', 'verifyOn', 'formValidation', 'statusAppendTo'],
];

/**
 * Options of one component. `allow`, `messages`, `style`, `verifyAfterDelay`, `verifyOn`, `formValidation` and
 * `statusAppendTo` apply to its input. All others apply to the whole page. If two components give different values for
 * one of those, the widget uses the first and prints a warning.
 */
export type ComponentOptions = Omit<GivenOptions, 'statusAppendTo'> & {
  /** CSS selector of the status element's parent, looked up in the input's form, then in the document. @default 'body' */
  statusAppendTo?: string | undefined;
};

export type InputAttributes = Readonly<Record<`data-email-verify-${string}`, string>>;

/** Separates a component's options into the attributes of its input and the options of the whole page. */
export function part(options: ComponentOptions): { attributes: InputAttributes; ofPage: GivenOptions } {
  const ofPage: Record<string, unknown> = {};
  const attributes: Record<string, string> = { [MARK]: '' };
  for (const [name, value] of Object.entries(options)) {
    if (!OF_INPUT.includes(name)) ofPage[name] = value;
    else if (value !== undefined) {
      const kebab = name.replace(/[A-Z]/g, '-$&').toLowerCase();
      attributes[`data-email-verify-${kebab}`] = typeof value === 'string' ? value : JSON.stringify(value);
    }
  }
  return { attributes: attributes as InputAttributes, ofPage };
}
