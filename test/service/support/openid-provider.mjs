/**
 * Runs an OpenID provider of others (oidc-provider) as a process. Its first argument is JSON: the client, and the claims
 * of each person by the name that is typed at its sign-in. It prints its URL.
 */
import { createServer } from 'node:http';
import { toolFile } from '../../../.ci/tools/tools.mjs';

const { Provider } = await import(toolFile('oidc-provider/lib/index.js'));

const { client, persons } = JSON.parse(process.argv[2]);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [client],
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    cookies: { keys: ['a key for the cookies of the tests'] },
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: true },
    },
    // The logout URI is on loopback, to which its own dispatcher sends nothing.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
    findAccount: (_context, id) =>
      Object.hasOwn(persons, id)
        ? { accountId: id, claims: async () => ({ sub: id, ...persons[id] }) }
        : undefined,
  });
  server.on('request', provider.callback());
  console.log(issuer);
});
