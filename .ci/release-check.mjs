/**
 * What has to be true of a release, short of publishing it: `npm run release:check`, on a commit that has passed the
 * tests. Says all that is wrong, and changes nothing but `dist/`.
 *
 *   node .ci/release-check.mjs --write    puts the present integrity value into the README first
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultsOfAddresses, faultsOfLinks } from './repository-address.mjs';
import { toolFile } from './tools/tools.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const faults = [];
const expect = (isTrue, fault) => {
  if (!isTrue) faults.push(fault);
};

/** What may be in the package: each of these, or something below it. */
const PACKED = /^(dist\/(?!service\/|\.)|package\.json$|README\.md$|CHANGELOG\.md$|LICENSE$)/;
/** What must be. */
const NEEDED = [
  'CHANGELOG.md',
  'README.md',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/index.js.map',
  'dist/integrity.json',
  'dist/widget.js',
  'dist/widget.js.map',
  'dist/widget-standalone.js',
  'dist/email-verify-widget-status.js',
];

// It says the sizes, and fails over the budgets; types are made by it as well.
const build = spawnSync(process.execPath, ['build.mjs'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);

const { version } = readJson('package.json');
const { integrity } = readJson('dist/integrity.json');

if (process.argv.includes('--write')) {
  const shown = readFileSync('README.md', 'utf8')
    .replace(/\/v\d+\.\d+\.\d+\//g, `/v${version}/`)
    .replace(/integrity="[^"]*"/, `integrity="${integrity['widget.js']}"`);
  writeFileSync('README.md', shown);
}

expect(/^\d+\.\d+\.\d+$/.test(version), `package.json: Expected a version such as 2.1.0, got ${version}.`);
expect(
  readJson('src/service/package.json').version === version,
  `src/service/package.json: Expected version ${version}, as in package.json.`,
);
expect(
  readJson('package-lock.json').version === version,
  `package-lock.json: Expected version ${version}. Run "npm install --package-lock-only".`,
);

const changelog = readFileSync('CHANGELOG.md', 'utf8');
expect(
  new RegExp(
    `^## \\[${RegExp.escape?.(version) ?? version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`,
    'm',
  ).test(changelog),
  `CHANGELOG.md: Expected a heading "## [${version}] - <date>".`,
);
expect(
  !/^## \[Unreleased\]\n+(?!## |$)/m.test(changelog),
  'CHANGELOG.md: Expected nothing under "Unreleased": it belongs under the version.',
);

for (const [script, hash] of Object.entries(integrity)) {
  const digest = createHash('sha384')
    .update(readFileSync(`dist/${script}`))
    .digest('base64');
  expect(
    hash === `sha384-${digest}`,
    `dist/integrity.json: Expected sha384-${digest} for ${script}, got ${hash}.`,
  );
}
const readme = readFileSync('README.md', 'utf8');
expect(
  readme.includes(`/v${version}/" integrity="${integrity['widget.js']}"`),
  'README.md: Expected the snippet with the integrity of this build. Run "node .ci/release-check.mjs --write".',
);

const folder = mkdtempSync(join(tmpdir(), 'release-check-'));
try {
  const npm = (...parameters) =>
    execFileSync('npm', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(npm('pack', '--json', '--pack-destination', folder));
  const files = packed.files.map(({ path }) => path);
  for (const file of files) expect(PACKED.test(file), `The package: Expected no ${file} in it.`);
  for (const file of NEEDED) expect(files.includes(file), `The package: Expected ${file} in it.`);
  const manifest = readJson('package.json');
  expect(!manifest.dependencies, 'package.json: Expected no dependencies: the widget has none.');
  console.log(
    `${packed.filename}: ${files.length} files, ${packed.size} B packed, ${packed.unpackedSize} B unpacked`,
  );

  const tarball = join(folder, packed.filename);
  const check = (name, bin, ...parameters) => {
    const { status, stdout } = spawnSync(process.execPath, [toolFile(bin), ...parameters], {
      encoding: 'utf8',
    });
    expect(status === 0, `${name}:\n${stdout}`);
  };
  check('publint', 'publint/src/cli.js', 'run', tarball, '--strict');
  check(
    'are the types wrong',
    '@arethetypeswrong/cli/dist/index.js',
    tarball,
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    'widget.js',
    'widget-standalone.js',
    'email-verify-widget-status.js',
    'email-verify-widget-debug.js',
    'locales/*.js',
    'captcha/*.js',
  );
} finally {
  rmSync(folder, { recursive: true });
}

const git = (...parameters) => execFileSync('git', parameters, { encoding: 'utf8' }).trim();
expect(git('status', '--porcelain') === '', 'git: Expected nothing uncommitted.');
const [origin] = spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' }).stdout.split('\n');
faults.push(...faultsOfAddresses(readJson('package.json'), origin));
for (const name of ['README.md', 'SECURITY.md'])
  faults.push(...faultsOfLinks(name, readFileSync(name, 'utf8'), origin));
const tag = process.env.GITHUB_REF_NAME;
expect(!tag || tag === `v${version}`, `git: Expected the tag v${version}, got ${tag}.`);

if (faults.length) {
  console.error(`\nNot ready to be released:\n\n- ${faults.join('\n- ')}\n`);
  process.exitCode = 1;
} else {
  console.log(`Ready to be released: ${version}`);
}
