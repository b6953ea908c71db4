/** The Markdown files become pages whose links all lead somewhere. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Section } from '../../docs/site/manifest.ts';
import { SECTIONS } from '../../docs/site/manifest.ts';
import { readMarkdown } from '../../docs/site/markdown.ts';
import { type DocsSite, makeSite } from '../../docs/site/site.ts';
import { PAGES } from './blocks.ts';

const pagesOf = ({ index }: DocsSite) => index.sections.flatMap(({ pages }) => pages);

describe('this documentation', () => {
  it('has every Markdown file of docs/ in a section, and no dead link', () => {
    expect(makeSite().faults).toEqual([]);
  });

  it('has each page in one section', () => {
    const files = SECTIONS.flatMap(({ pages }) => pages.flatMap((page) => ('file' in page ? page.file : [])));
    expect([...files].sort()).toEqual(
      [...PAGES.filter((page) => /^docs\//.test(page)), 'CHANGELOG.md'].sort(),
    );
  });

  it('does not send newcomers to the README in the repository', () => {
    const pages = pagesOf(makeSite()).filter(({ url }) => url !== '/docs/changelog/');
    expect(pages.filter(({ html }) => html?.includes('/README.md')).map(({ url }) => url)).toEqual([]);
  });

  it('has pages that a strict policy allows, with a sentence about each', () => {
    // The page of the API and the like have no Markdown.
    for (const { url, title, about, html = '<h1' } of pagesOf(makeSite())) {
      expect(html, url).not.toMatch(/<[^>]* (style|on\w+)=|<script|<style|<iframe/i);
      expect(html.match(/<h1/g), url).toHaveLength(1);
      expect(about, title).toMatch(/^[A-Z].*\.$/);
    }
  });
});

/** A small repository: its files, and what the site makes of them. */
describe('a folder of Markdown files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'docs-site-'));
  });
  const before = process.cwd();
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  function site(files: Readonly<Record<string, string>>) {
    const all = { 'package.json': '{"repository":{"url":"git+https://git.example/a/b.git"}}', ...files };
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    process.chdir(folder);
    const pages = Object.keys(files).filter((path) => /^docs\/.*\.md$/.test(path));
    const sections: Section[] = [{ title: 'All', pages: pages.map((file) => ({ file, about: 'About.' })) }];
    const made = makeSite(sections);
    return { ...made, html: (url: string) => pagesOf(made).find((page) => page.url === url)?.html };
  }

  it('leads from page to page, to the repository, and to the files that are served', () => {
    const { html, faults, served } = site({
      'docs/a.md': `# A
[b](b.md), [two](b.md#two-words), [recipe](recipes/c.md), [own](#end), [there](https://x.example/),
[read me](../README.md#use), [folder](../deploy), [proxy](../deploy/nginx.conf), ![picture](pictures/p.png)
## End`,
      'docs/b.md': '# B\n## Two *words*',
      'docs/recipes/README.md': '# Recipes\n[c](c.md)',
      'docs/recipes/c.md': '# C\n[all](README.md), [a](../a.md#end)',
      'docs/pictures/p.png': '',
      'deploy/nginx.conf': '',
      'README.md': '# Read me\n## Use',
    });
    expect(faults).toEqual([]);
    const hrefs = (url: string) =>
      [...html(url)!.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => href);
    expect(hrefs('/docs/a/').slice(0, -1)).toEqual([
      ...['../b/', '../b/#two-words', '../recipes/c/', '#end', 'https://x.example/'],
      'https://git.example/a/b/blob/HEAD/README.md#use',
      'https://git.example/a/b/tree/HEAD/deploy',
      ...['../files/deploy/nginx.conf', '../pictures/p.png'],
    ]);
    expect(hrefs('/docs/recipes/')).toEqual(['c/']);
    expect(hrefs('/docs/recipes/c/')).toEqual(['../', '../../a/#end']);
    expect(served).toEqual(['deploy/nginx.conf', 'docs/pictures/p.png']);
  });

  it.each([
    ['a page', '[x](nowhere.md)', 'a link to nowhere.md, which does not exist.'],
    [
      'a heading of another page',
      '[x](b.md#nowhere)',
      'a link to b.md#nowhere, a heading that does not exist.',
    ],
    ['a heading of its own', '[x](#nowhere)', 'a link to #nowhere, a heading that does not exist.'],
    [
      'a heading of the README',
      '[x](../README.md#no)',
      'a link to ../README.md#no, a heading that does not exist.',
    ],
    ['a picture', '![x](pictures/no.png)', 'a link to pictures/no.png, which does not exist.'],
    ['a place outside', '[x](../../etc)', 'a link to ../../etc, which does not exist.'],
    ['a URL without its origin', '[x](/docs/b/)', 'a link to /docs/b/, which does not exist.'],
    ['markup', '<b>x</b>', 'HTML, which the site does not show.'],
  ])('names the file and line of %s that does not work', (_, text, fault) => {
    const { faults } = site({
      'docs/a.md': `# A\n\nFirst line\nof a paragraph: ${text}\n\n<!-- A comment is fine. -->`,
      'docs/b.md': '# B',
      'README.md': '# Read me',
    });
    // A paragraph may begin above the line of its link.
    const line = fault.startsWith('HTML') ? 3 : 4;
    expect(faults).toEqual([`docs/a.md:${line}: ${fault}`]);
  });

  it('names the line of a dead link in a table', () => {
    const { faults } = site({ 'docs/a.md': '# A\n\n| a |\n| --- |\n| b |\n| [c](no.md) |\n' });
    expect(faults).toEqual(['docs/a.md:6: a link to no.md, which does not exist.']);
  });

  it('refuses a file that is in no section, and a page without a file', () => {
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/a.md'), '# A');
    writeFileSync(join(folder, 'package.json'), '{"repository":{"url":"git+https://git.example/a/b.git"}}');
    process.chdir(folder);
    const { faults } = makeSite([{ title: 'All', pages: [{ file: 'docs/b.md', about: 'Not there.' }] }]);
    expect(faults).toEqual([
      'docs/a.md:1: not in a section. Add it to docs/site/manifest.ts.',
      'docs/b.md:1: in docs/site/manifest.ts, but not in its folder.',
    ]);
  });
});

const LONE = '<li class="lone">';

describe('a Markdown file', () => {
  it('has the anchors of GitHub, for headings of the same words, too', () => {
    const { anchors, outline } = readMarkdown('# A\n## `data-x`: what’s *new*?\n### B\n## B\n#### Deep\n');
    expect([...anchors]).toEqual(['a', 'data-x-whats-new', 'b', 'b-1', 'deep']);
    expect(outline).toEqual([
      { id: 'data-x-whats-new', title: 'data-x: what’s new?', level: 2 },
      { id: 'b', title: 'B', level: 3 },
      { id: 'b-1', title: 'B', level: 2 },
    ]);
  });

  it('gives the search its text and code by heading', () => {
    const { passages } = readMarkdown(
      '# A\nOne\ntwo `three`\n## B\n| x | y |\n| - | - |\n| `n`, `m` | `1` |\n| *z* `o` | 2 |\n```js\ncode()\n```\n',
    );
    expect(passages).toEqual([
      { id: '', heading: 'A', text: 'One two three\n', code: '', names: '' },
      { id: 'b', heading: 'B', text: 'x\ny\nn, m\n1\nz o\n2\n', code: 'code()\n\n', names: 'n\nm\n' },
    ]);
  });

  it('leaves out the list of the chapters, and no other list', () => {
    const lists = '- [B](#b)\n- [C](#c)\n\n## B\n- one\n## C\n- [B](#b)\n';
    const html = readMarkdown(`# A\n${lists}`).htmlOf();
    expect(html.match(/<li\b/g)).toHaveLength(2);
    expect(html).toContain('<li>one</li>');
    expect(readMarkdown('# A\n- one\n').htmlOf()).toContain('<li>one</li>');
  });

  it('marks the entries of lists that are nothing but a link, which have the size of a target', () => {
    const html = readMarkdown(
      '# A\n- one\n- [B](b.md)\n- [B `c`](b.md)\n- [B](b.md): more\n- [B](b.md) [C](c.md)\n',
    ).htmlOf();
    expect(html.match(/<li[^>]*>/g)).toEqual(['<li>', LONE, LONE, '<li>', '<li>']);
  });

  it('writes a table that scrolls by itself, named by its heading', () => {
    const html = readMarkdown('# A\n## B\n|  | n |\n| --- | --: |\n| c | 1 |\n\n| d |\n| - |\n').htmlOf();
    expect(html).toContain(
      '<div class="wide scroll" role="group" tabindex="0" aria-label="Table: B"><table>',
    );
    expect(html).toContain('aria-label="Table: B, 2"');
    expect(html).toContain('<td></td>\n<th class="end" scope="col">n</th>');
    expect(html).toContain('<td class="end">1</td>');
  });

  it('has code that is marked for the style sheet, and escaped in any language', () => {
    const html = readMarkdown('# A\n```html\n<b a="1">\n```\n```csv\n<script>\n```\n```\n&\n```\n').htmlOf();
    expect(html).toContain('<code class="language-html"><span class="hljs-tag">&lt;');
    expect(html).toContain('<code class="language-csv">&lt;script&gt;');
    expect(html).toContain('<code>&amp;\n</code>');
  });

  it('has headings that lead to themselves', () => {
    expect(readMarkdown('# A\n## B `c`\n').htmlOf()).toBe(
      '<h1>A</h1>\n<h2 id="b-c"><a href="#b-c">B <code>c</code></a></h2>\n',
    );
  });
});
