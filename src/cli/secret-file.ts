/** The flag for a file that contains a password or another secret. */
import { secretIn } from '../service/config/read-secret.ts';
import { quote, UsageError } from '../service/core/usage-error.ts';
import { type Optional, textFile } from './flags.ts';

const BREAK = /[\r\n]/;
/** Characters that appear if a file in another encoding is read as UTF-8. People could not type such a password. */
const FOREIGN = /[\0\uFFFD]/;

/**
 * A file that contains a secret in one line. The flag's value is the secret.
 * A secret on the command line itself would appear in the list of processes.
 */
export function secretFile(
  limits: { readonly minimum: number; readonly maximum: number },
  description: string,
): Optional<string> {
  const file = textFile(description);
  return {
    ...file,
    read(path, place, readFile) {
      const secret = secretIn(file.read(path, place, readFile));
      const { length } = [...secret];
      const isInLimits = length >= limits.minimum && length <= limits.maximum;
      if (isInLimits && !BREAK.test(secret) && !FOREIGN.test(secret)) return secret;
      throw new UsageError(
        `Expected one line of ${limits.minimum} to ${limits.maximum} characters in the file of ${place}, got ${sayContents(secret, limits.minimum)}. Change ${quote(path)}.`,
      );
    },
  };
}

/** Describes a refused secret without quoting it. */
function sayContents(secret: string, minimum: number): string {
  if (secret === '') return 'an empty file';
  if (FOREIGN.test(secret)) return 'a file that is not UTF-8';
  if (BREAK.test(secret)) return 'several lines';
  return [...secret].length < minimum ? 'fewer' : 'more';
}
