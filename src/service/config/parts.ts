/** What several sections of the config's schema share. */
import { Type } from '@sinclair/typebox';

/** The largest limit. It is large enough to switch a limit off. */
export const MAX_LIMIT = 1_000_000;

export const wholeNumber = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, expected: `a whole number from ${minimum} to ${maximum}` });

export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** What an operator wrote, as a message quotes it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
