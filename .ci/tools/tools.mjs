/** Finds the packages of the folders that have a lock of their own. Runs from the top folder, as all commands do. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/**
 * @param {string} path of a file of a package of this folder, such as `publint/src/cli.js`
 * @returns {string} its whole path
 */
export function toolFile(path) {
  const file = resolve('.ci/tools/node_modules', path);
  if (existsSync(file)) return file;
  throw new Error(
    `Expected ${path} in .ci/tools/node_modules, got none. Run "node .ci/tools/install.mjs .ci/tools".`,
  );
}

/**
 * Loads a package of this folder.
 *
 * @param {string} name
 */
export function loadTool(name) {
  toolFile(`${name}/package.json`);
  return createRequire(resolve('.ci/tools/package.json'))(name);
}

/**
 * Whether the packages of a folder are those of its lock. npm leaves a copy of the lock next to them, without the
 * packages for other machines.
 *
 * @param {string} folder
 */
export function isInstalled(folder) {
  const packagesIn = (file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')).packages;
  if (!existsSync(`${folder}/node_modules/.package-lock.json`)) return false;
  const installed = packagesIn('node_modules/.package-lock.json');
  const { '': _, ...locked } = packagesIn('package-lock.json');
  const isLocked = ([path, { integrity }]) => locked[path]?.integrity === integrity;
  const isThere = ([path, { optional }]) => optional || path in installed;
  return Object.entries(installed).every(isLocked) && Object.entries(locked).every(isThere);
}
