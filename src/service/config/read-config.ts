/** Parses the config file and checks the config. The first error is one clear sentence. */
import type { TSchema } from '@sinclair/typebox';
import { JsonShapeError, parseJson } from '../core/json.ts';
import { findFault } from '../http/schema-fault.ts';
import { ConfigError } from './config-error.ts';
import { type Config, ConfigSchema, ConfigWithoutDatabaseSchema } from './config-schema.ts';
import { checkBilling } from './sections/billing-section.ts';
import { checkIp, checkKeys } from './sections/keys-section.ts';
import { checkLive } from './sections/live-section.ts';
import { checkOidc } from './sections/oidc-section.ts';
import { readPublicUrl } from './sections/public-url-section.ts';

/**
 * @param text the content of the file
 * @returns any JSON value
 * @throws {ConfigError} if it is not JSON
 */
export function parseConfig(text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The parser's message quotes the text around the fault, which may be a secret. Ours gives only the position.
    throw new ConfigError(`Expected JSON, but ${sayWhere(text, error as SyntaxError)}.`);
  }
}

/**
 * @param value the joined values of the file and the environment @param hasDatabase whether there is a database from
 * elsewhere, so that the config needs no key @throws {ConfigError} for the first error
 */
export function checkConfig(value: unknown, hasDatabase: boolean): Config {
  const lacksDatabase = !hasDatabase && (value as Config | null)?.database === undefined;
  const faultBy = (schema: TSchema) => findFault(schema, value, 'the whole file');
  // A mistyped "database" is an unknown name, rather than a reason to ask for keys.
  const fault = faultBy(ConfigSchema) ?? (lacksDatabase ? faultBy(ConfigWithoutDatabaseSchema) : undefined);
  if (fault) throw new ConfigError(fault);
  const config = value as Config;
  checkKeys(config.keys ?? []);
  config.callbacks?.refusedNetworks?.forEach((entry, index) => {
    checkIp(entry, `callbacks.refusedNetworks[${index}]`);
  });
  if (config.billing) checkBilling(config.billing);
  if (config.live) checkLive(config.live);
  if (config.oidc) checkOidc(config.oidc);
  if (config.publicUrl !== undefined) readPublicUrl(config.publicUrl);
  return config;
}

function sayWhere(text: string, error: SyntaxError): string {
  const { message } = error;
  if (error instanceof JsonShapeError) return message;
  const position = /position (\d+)/.exec(message)?.[1];
  // Older engines name the character only.
  const character = /^Unexpected token (.+?),/s.exec(message)?.[1];
  if (position === undefined) return character ? `${character} is in the wrong place` : 'it ends too early';
  const before = text.slice(0, Number(position)).split('\n');
  return `it is wrong at line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
