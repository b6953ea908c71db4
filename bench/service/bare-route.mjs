/**
 * The least that Fastify can do for such a request: one route that answers with what it was given, bytes and headers,
 * in a process of its own as the service is.
 */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const { path, headers, body } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const app = fastify();
app.get(path, (_request, reply) => reply.headers(headers).send(body));
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening on http://127.0.0.1:${app.server.address().port}\n`);
