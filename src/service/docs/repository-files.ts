/** Files of the repository that pages link to, such as the configuration of a reverse proxy. They are sent as text. */
import { readFile } from 'node:fs/promises';
import { answerWhenMade, type Handler } from '../files/send-file.ts';
import { PAGE_HEADERS } from '../http/security-headers.ts';
import type { DocsContent } from './docs-content.ts';

const HEADERS = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' };

/** @returns by URL */
export function answerSources({ folder, index }: DocsContent): [url: string, Handler][] {
  return index.files
    .filter((file) => !file.startsWith('docs/'))
    .map((file) => {
      const read = () => readFile(`${folder}/files/${file}`);
      return [`/docs/files/${file}`, answerWhenMade(read, 'text/plain; charset=utf-8', HEADERS)];
    });
}
