/** Which of a component's options are its input's own, and how they stand on it. Pure. */

import type { GivenOptions } from 'email-verify-widget';

/** What marks the inputs of components: the widget that they share leaves all others alone. */
export const MARK = 'data-email-verify-field';

/** Options that an input has for itself; all others are the whole page's. */
const OF_INPUT = [
  'allow',
  'messages',
  'style',
  'verifyAfterDelay',
  'verifyOn',
  'formValidation',
  'statusAppendTo',
] as const;

/**
 * Options of one component. `allow`, `messages`, `style`, `verifyAfterDelay`, `verifyOn`, `formValidation` and
 * `statusAppendTo` (a selector) are its input's own. The rest is the page's: given to several components, the first
 * that is there decides, and a value that differs from its is warned of.
 */
export type ComponentOptions = Omit<GivenOptions, 'statusAppendTo'> & {
  /** CSS selector of the status element's parent: looked for in the input's form, then in the document. @default 'body' */
  statusAppendTo?: string | undefined;
};

export type InputAttributes = Readonly<Record<`data-email-verify-${string}`, string>>;

/** Parts a component's options: the attributes of its input, and what is the whole page's. */
export function part(options: ComponentOptions): { attributes: InputAttributes; ofPage: GivenOptions } {
  const ofPage: Record<string, unknown> = {};
  const attributes: Record<string, string> = { [MARK]: '' };
  for (const [name, value] of Object.entries(options)) {
    if (!(OF_INPUT as readonly string[]).includes(name)) ofPage[name] = value;
    else if (value !== undefined) {
      const kebab = name.replace(/[A-Z]/g, '-$&').toLowerCase();
      attributes[`data-email-verify-${kebab}`] = typeof value === 'string' ? value : JSON.stringify(value);
    }
  }
  return { attributes: attributes as InputAttributes, ofPage };
}
