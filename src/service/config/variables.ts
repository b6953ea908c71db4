/** Which environment variable sets what: one rule, applied to the schema of the config file. */
import type { TSchema } from '@sinclair/typebox';
import { ConfigSchema } from './schema.ts';

/** What every variable of the service begins with. */
export const PREFIX = 'EVW_';

/** Added to the name of a secret's variable, it names a file that holds the secret. */
export const FILE_SUFFIX = '_FILE';

/** One value of the config file. Sections are not settings, but what is in them is. */
export interface Setting {
  /** Where it stands in the file, such as `['limits', 'verifyPerSecond']`. */
  readonly path: readonly string[];
  /** Such as `EVW_LIMITS_VERIFY_PER_SECOND`. */
  readonly variable: string;
  readonly schema: TSchema;
  /** Whether messages may not quote its value. Then the variable has a form with `_FILE`. */
  readonly isSecret: boolean;
}

/** Every setting, in the order of the schema. */
export const SETTINGS: readonly Setting[] = settingsOf(ConfigSchema, []);

function settingsOf(section: TSchema, path: readonly string[]): readonly Setting[] {
  const { properties } = section as unknown as { properties: Readonly<Record<string, TSchema>> };
  return Object.entries(properties).flatMap(([name, schema]) => {
    const place = [...path, name];
    if (schema.type === 'object') return settingsOf(schema, place);
    return [{ path: place, variable: variableOf(place), schema, isSecret: schema.secret === true }];
  });
}

/** `limits.verifyPerSecond` → `EVW_LIMITS_VERIFY_PER_SECOND` */
function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return PREFIX + words.join('_');
}
