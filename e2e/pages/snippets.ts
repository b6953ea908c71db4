/** Reads code from the documents, so that the tests run exactly those lines. */
import { readFile } from 'node:fs/promises';

/** The code under a heading. If there are several pieces, the one with that number. */
export async function snippet(heading: string, number = 1, page = 'pages'): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const sections = text.split(/^#+ /m);
  const section = sections.find((each) => each.startsWith(`${heading}\n`));
  const codes = [...(section ?? '').matchAll(/^( *)```\w+\n(.*?)^\1```$/gms)];
  const [, indentation, code] = codes[number - 1] ?? [];
  if (code === undefined)
    throw new Error(`Expected code ${number} under "${heading}" in docs/${page}.md, found none.`);
  // In a list, code is indented as a whole.
  return code.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
}
