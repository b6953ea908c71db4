/** Errors of the config, the environment or the command line. */
import { hideKeys } from '../core/log.ts';

/** An error that the operator must fix. The message says where and how, and never quotes a key. */
export class ConfigError extends Error {
  /** @param place the file with the error, if it is in a file */
  constructor(message: string, place?: string) {
    super(place === undefined ? hideKeys(message) : `${place}: ${hideKeys(message)}`);
  }
}
