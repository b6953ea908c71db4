/** What the release check says of the addresses in package.json, the README and SECURITY.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultsOfAddresses, faultsOfLinks } from '../../.ci/repository-address.mjs';

const ADDRESS = 'https://github.com/shop/widget';
const MANIFEST = {
  repository: { type: 'git', url: `git+${ADDRESS}.git` },
  homepage: `${ADDRESS}#readme`,
  bugs: { url: `${ADDRESS}/issues` },
};

describe('the release check', () => {
  it.each([
    ADDRESS,
    `${ADDRESS}.git`,
    'git@github.com:shop/widget.git',
    'ssh://git@github.com/shop/widget.git',
    'https://x-access-token:secret@github.com/shop/widget',
  ])('accepts addresses that agree with the remote %s', (origin) => {
    expect(faultsOfAddresses(MANIFEST, origin)).toEqual([]);
  });

  it('refuses a release from another repository than package.json names, for each field', () => {
    const faults = faultsOfAddresses(MANIFEST, 'https://x:secret@github.com/other/widget');
    expect(faults).toEqual([
      expect.stringContaining('Expected repository.url git+https://github.com/other/widget.git'),
      expect.stringContaining('Expected homepage https://github.com/other/widget#readme'),
      expect.stringContaining('Expected bugs.url https://github.com/other/widget/issues'),
    ]);
    expect(faults.join()).not.toContain('secret');
  });

  it.each([
    ['repository.url', { ...MANIFEST, repository: {} }],
    ['homepage', { ...MANIFEST, homepage: 'https://widget.example' }],
    ['bugs.url', { repository: MANIFEST.repository, homepage: MANIFEST.homepage }],
  ])('refuses a package whose %s is missing or differs', (field, manifest) => {
    expect(faultsOfAddresses(manifest, ADDRESS)).toEqual([expect.stringContaining(`Expected ${field}`)]);
  });

  it.each([undefined, '', '/srv/widget.git', 'https://git.example/shop/widget.git'])(
    'refuses a release where the remote is %s',
    (origin) => {
      expect(faultsOfAddresses(MANIFEST, origin)).toEqual([expect.stringContaining('remote "origin"')]);
    },
  );
});

it('names one repository in all URLs of package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(faultsOfAddresses(manifest, manifest.repository?.url)).toEqual([]);
});

describe('the links of a file', () => {
  const text = `[report](${ADDRESS}/security/advisories/new) ![](https://raw.githubusercontent.com/shop/widget/main/a.png)`;

  it('may lead to the repository that is released', () => {
    expect(faultsOfLinks('SECURITY.md', text, `${ADDRESS}.git`)).toEqual([]);
    expect(faultsOfLinks('SECURITY.md', text, undefined)).toEqual([]);
  });

  it('refuse a release from another repository', () => {
    expect(faultsOfLinks('SECURITY.md', text, 'git@github.com:other/widget.git')).toEqual([
      'SECURITY.md: Expected links to https://github.com/other/widget, as in git, got 2 to https://github.com/shop/widget.',
    ]);
  });

  it.each(['README.md', 'SECURITY.md'])('lead to the repository of package.json in %s', (name) => {
    const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(faultsOfLinks(name, readFileSync(name, 'utf8'), repository.url)).toEqual([]);
  });
});
