/** Allows one widget per page. Two copies would send each request twice and hold each other's submissions. */

import type { Widget } from './widget.ts';

const MARK = Symbol.for('email-verify-widget');
type Marked = { [MARK]?: Widget | undefined };

/** The page's widget, from any copy of the script or the module. */
export const presentWidget = (): Widget | undefined => (window as Marked)[MARK];

export const setPresentWidget = (widget: Widget | undefined): void => {
  (window as Marked)[MARK] = widget;
};

export const warnOfSecond = (): void => console.warn('email-verify-widget: Expected one copy, got another.');
