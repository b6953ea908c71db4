/** The fenced blocks of everything that we tell people to read. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Block {
  readonly file: string;
  /** Where its first line is, for whoever has to put it right. */
  readonly place: string;
  /** The heading that it stands under. */
  readonly heading: string;
  /** Which of its heading it is, from 1. */
  readonly number: number;
  readonly language: string;
  readonly code: string;
}

export const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...markdownIn('docs'),
];

export const BLOCKS: readonly Block[] = PAGES.flatMap(blocksOf);

function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { language: string; from: number } | undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    const fence = /^\s*(```|~~~)(\S*)/.exec(line);
    if (fence && open) {
      const place = `${file}:${open.from + 1}`;
      const number = blocks.filter((block) => block.heading === heading).length + 1;
      // In a list, a block is indented as a whole.
      const indentation = new RegExp(`^ {0,${line.search(/\S/)}}`);
      const code = lines
        .slice(open.from, index)
        .map((each) => each.replace(indentation, ''))
        .join('\n');
      blocks.push({ file, place, heading, number, language: open.language, code });
      open = undefined;
    } else if (fence) open = { language: fence[2]!, from: index + 1 };
    else if (!open) heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
  }
  if (open) throw new Error(`Expected an end of the block at ${file}:${open.from}, got none.`);
  return blocks;
}

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return markdownIn(path);
    return path.endsWith('.md') ? [path] : [];
  });
}
