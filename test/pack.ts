/** Installs the package into another project, as an author gets it from the registry. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const PACKAGE = 'email-verify-widget';

/**
 * Packs the package, and unpacks it into the `node_modules` of a project.
 *
 * @param project an empty folder
 * @returns the archive
 */
export function packInto(project: string): string {
  if (!existsSync('dist/index.js')) throw new Error('Expected dist/, got none. Run "npm run build" first.');
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', project], {
      encoding: 'utf8',
      stdio: 'pipe',
    }),
  );
  const installed = join(project, 'node_modules', PACKAGE);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', filename, '-C', installed, '--strip-components=1'], { cwd: project });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  return join(project, filename);
}
