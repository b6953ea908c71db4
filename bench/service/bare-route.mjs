/**
 * The minimal Fastify server for such a request: one route that responds with given bytes and headers, in a separate
 * process like the service.
 */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const { path, headers, body } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const app = fastify();
app.get(path, (_request, reply) => reply.headers(headers).send(body));
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening on http://127.0.0.1:${app.server.address().port}\n`);
