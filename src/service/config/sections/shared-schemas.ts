/** Shared by several sections of the config's schema. */
import { type StringOptions, type TProperties, Type } from '@sinclair/typebox';
import { ConfigError } from '../config-error.ts';

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

export const optionalNumber = (minimum: number, maximum: number, notes: SettingNotes) =>
  Type.Optional(wholeNumber(minimum, maximum, notes));

export const yesNo = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ expected: 'true or false', description, default: byDefault }));

export const optionalText = (expected: string, description: string, rules: StringOptions = {}) =>
  Type.Optional(Type.String({ expected, description, ...rules }));

/** A file or a folder. */
export const optionalPath = (of: 'file' | 'folder', description: string, byDefault?: string) =>
  optionalText(`the path of a ${of}`, description, {
    minLength: 1,
    ...(byDefault !== undefined && { default: byDefault }),
  });

/** An object of the config file, which has no other names. */
export const section = <Settings extends TProperties>(
  settings: Settings,
  notes: { readonly title?: string; readonly description?: string; readonly expected?: string } = {},
) => Type.Object(settings, { additionalProperties: false, expected: 'an object', ...notes });

export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** @throws {ConfigError} for a wrong value @param got what is quoted @param unquoted what is said if nothing may be */
export function refuse(isWrong: boolean, place: string, expected: string, got?: string, unquoted = ''): void {
  if (!isWrong) return;
  throw new ConfigError(
    `Expected ${place} to be ${expected}, got ${got === undefined ? unquoted : quote(got)}.`,
  );
}

/** Quotes the operator's text in a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
