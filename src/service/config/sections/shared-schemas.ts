/** Shared by several sections of the config's schema. */
import { Type } from '@sinclair/typebox';

/** The largest limit. It is large enough to disable a limit. */
export const MAX_LIMIT = 1_000_000;

/** Notes on a setting for the documentation, in addition to JSON Schema. */
export interface SettingNotes {
  readonly description?: string;
  readonly default?: unknown;
  /** What a number counts, such as `seconds`. */
  readonly unit?: string;
}

export const wholeNumber = (minimum: number, maximum: number, notes: SettingNotes = {}) =>
  Type.Integer({ minimum, maximum, expected: `a whole number from ${minimum} to ${maximum}`, ...notes });

export const yesNo = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ expected: 'true or false', description, default: byDefault }));

export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Quotes the operator's text in a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
