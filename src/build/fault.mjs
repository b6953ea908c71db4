/** Why a part of the build could not be made. */

/** A fault of a source. Its message has a line for each place, and needs no stack. */
export class BuildError extends Error {
  name = 'BuildError';
}

/** What a developer can do something with: a line for each fault, with its place if that is known. */
export function sayFault(error) {
  // esbuild's own.
  if (Array.isArray(error?.errors) && error.errors.length > 0) {
    return error.errors
      .map(({ text, location }) => (location ? `${location.file}:${location.line}: ${text}` : text))
      .join('\n');
  }
  if (error instanceof BuildError || error?.code !== undefined) return error.message;
  return error?.stack ?? String(error);
}

/**
 * Whether nothing can be built here at all: the folder cannot be written, or the tools are not installed. A service that
 * was built elsewhere still runs.
 */
export const cannotBuild = (error) =>
  ['EROFS', 'EACCES', 'EPERM', 'ERR_MODULE_NOT_FOUND'].includes(error?.code);

/** @param reason why nothing can be built here */
export const sayOlder = (reason) =>
  `dist/ is older than its sources. It stays as it is, because nothing can be built here: ${reason}`;
