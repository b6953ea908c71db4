/** Derives the names of environment variables from the schema of the config file, by one rule. */
import type { TSchema } from '@sinclair/typebox';
import { ConfigSchema } from './config-schema.ts';

/** The prefix of every variable of the service. */
export const PREFIX = 'EVW_';

/** With this suffix, the variable of a secret names a file that contains the secret. */
export const FILE_SUFFIX = '_FILE';

/** One value of the config file. Sections are not settings, but their values are. */
export interface Setting {
  /** Its path in the file, such as `['limits', 'verifyPerSecond']`. */
  readonly path: readonly string[];
  /** Such as `EVW_LIMITS_VERIFY_PER_SECOND`. */
  readonly variable: string;
  readonly schema: TSchema;
  /** Whether its value is a secret, which messages never quote. Its variable also has a form with `_FILE`. */
  readonly isSecret: boolean;
}

/** Every setting, in the order of the schema. */
export const SETTINGS: readonly Setting[] = settingsOf(ConfigSchema, []);

function settingsOf(section: TSchema, path: readonly string[]): readonly Setting[] {
  const { properties } = section as unknown as { properties: Readonly<Record<string, TSchema>> };
  return Object.entries(properties).flatMap(([name, schema]) => {
    const place = [...path, name];
    // An object without fixed names is one value.
    if (schema.type === 'object' && Object.keys(schema.properties).length > 0)
      return settingsOf(schema, place);
    return [{ path: place, variable: variableOf(place), schema, isSecret: schema.secret === true }];
  });
}

/** `limits.verifyPerSecond` → `EVW_LIMITS_VERIFY_PER_SECOND` */
function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return PREFIX + words.join('_');
}
