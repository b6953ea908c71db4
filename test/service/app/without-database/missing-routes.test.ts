/** Each route that is documented for a service with a database answers without one, too. An unknown download is a 404. */
import { expect, it, onTestFinished } from 'vitest';
import { openApi } from '../../../../docs/site/openapi.ts';
import { createService } from '../../../../src/service/app/web.ts';
import { settingsWith } from '../../support/deps.ts';

const KEY = 'test_0123456789abcdef';

/** Such as `post /v1/batch`. */
async function routes(hasDatabase: boolean): Promise<string[]> {
  const { paths = {} } = await openApi(hasDatabase);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods ?? {}).map((method) => `${method} ${path}`),
  );
}

const others = await routes(false);
const needing = (await routes(true)).filter(
  (route) => !others.includes(route) && !route.includes('/download/'),
);

it('knows the routes that need a database', () => {
  expect(needing).toEqual(expect.arrayContaining(['post /v1/batch', 'get /v1/account', 'post /oauth/token']));
});

it.each(needing)('answers %s with 503, and says that there is no database', async (route) => {
  const app = createService({ keys: [{ key: KEY, kind: 'private' }], settings: settingsWith() });
  onTestFinished(() => app.close());
  const [method = '', path = ''] = route.split(' ');
  const response = await app.inject({
    method: method.toUpperCase() as 'GET',
    url: path.replace(/\{\w+\}/, 'any'),
    headers: { host: 'localhost', authorization: `Bearer ${KEY}` },
  });
  expect([response.statusCode, response.body]).toEqual([503, expect.stringContaining('without a database')]);
});
