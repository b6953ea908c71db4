/** Files of the repository that pages link to, such as the configuration of a reverse proxy. They are sent as text. */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { answerWhenMade } from '../files/answer.ts';
import { PAGE_HEADERS } from '../http/security-headers.ts';
import type { DocsContent } from './content.ts';

const HEADERS = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' };

export function serveSources(app: FastifyInstance, { folder, index }: DocsContent): void {
  for (const file of index.files.filter((file) => !file.startsWith('docs/'))) {
    const read = () => readFile(`${folder}/files/${file}`);
    app.get(`/docs/files/${file}`, answerWhenMade(read, 'text/plain; charset=utf-8', HEADERS));
  }
}
