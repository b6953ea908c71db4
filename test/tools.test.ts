/** The packages that `npm ci` installs, and those that few commands need and install themselves. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInstalled, loadTool } from '../.ci/tools/tools.mjs';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly private?: boolean;
}

const read = (file: string) => readFileSync(file, 'utf8');

it('builds programs without a path of this machine', () => {
  const programs = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.m?js$/.test(name),
  );
  expect(programs.length).toBeGreaterThan(50);
  expect(programs.filter((name) => read(join('dist', name)).includes(process.cwd()))).toEqual([]);
});

describe('every folder with packages', () => {
  it.each(['.', 'src/service', 'docs/reference', '.ci/tools', 'e2e/libraries'])(
    'pins their exact versions: %s',
    (folder) => {
      const manifest: Manifest = JSON.parse(read(`${folder}/package.json`));
      const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
      expect(versions.length).toBeGreaterThan(0);
      expect(versions.filter(([, version]) => !/^(npm:.+@)?\d[\w.-]*$/.test(version))).toEqual([]);
    },
  );

  it.each(['.', '.ci/tools', 'e2e/libraries'])('names no registry in its lock: %s', (folder) => {
    expect(read(`${folder}/package-lock.json`).match(/"resolved": "http.*/g)).toBeNull();
  });

  it.each(['src/service', 'docs/reference', '.ci/tools', 'e2e/libraries'])(
    'is not published: %s',
    (folder) => {
      expect((JSON.parse(read(`${folder}/package.json`)) as Manifest).private).toBe(true);
    },
  );
});

describe('the packages of a folder', () => {
  const LOCKED = {
    '': { name: 'tools' },
    'node_modules/first': { version: '1.0.0', integrity: 'sha512-first' },
    'node_modules/of-other-machines': { version: '1.0.0', integrity: 'sha512-other', optional: true },
  };
  const { '': _, 'node_modules/of-other-machines': __, ...HERE } = LOCKED;

  function isComplete(installed?: object): boolean {
    const folder = mkdtempSync(join(tmpdir(), 'tools-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: LOCKED }));
    if (installed) {
      mkdirSync(join(folder, 'node_modules'));
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
    }
    return isInstalled(folder);
  }

  it('are complete without those of other machines', () => {
    expect(isComplete(HERE)).toBe(true);
  });

  it.each<[string, object | undefined]>([
    ['nothing is installed', undefined],
    ['one is missing', {}],
    ['one has another content', { 'node_modules/first': { integrity: 'sha512-second' } }],
    ['one is no longer in the lock', { ...HERE, 'node_modules/old': { integrity: 'sha512-old' } }],
  ])('are installed again if %s', (_, installed) => {
    expect(isComplete(installed)).toBe(false);
  });

  it('are named in the error of whoever needs one that is missing', () => {
    expect(() => loadTool('nothing')).toThrow(
      'Expected nothing/package.json in .ci/tools/node_modules, got none. Run "node .ci/tools/install.mjs .ci/tools".',
    );
  });
});
