/** What is wrong with the config, the environment or the command line. */
import { hideKeys } from '../log.ts';

/** Something that the operator has to put right. The message says where and how, and quotes no key. */
export class ConfigError extends Error {
  /** @param place the file it is about, if it is about one */
  constructor(message: string, place?: string) {
    super(place === undefined ? hideKeys(message) : `${place}: ${hideKeys(message)}`);
  }
}
