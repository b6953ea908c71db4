/** The section `live` of the config. */
import { expect, it } from 'vitest';
import { DEFAULT_ENGINE_OPTIONS } from '../../../../src/engine/options.ts';
import { ConfigError } from '../../../../src/service/config/config-error.ts';
import { loadLooseSettings, loadSettings } from '../../../../src/service/config/load-settings.ts';
import { messageOf } from '../../../message-of.ts';

const LIVE = { helo: 'verify.example', mailFrom: 'probe@verify.example' };
const read = (live: unknown) => () => JSON.stringify({ live });
const settle = (live: unknown) => loadLooseSettings('/etc/verify/service.json', {}, read(live)).live;

const faultOf = (live: unknown) => messageOf(() => settle(live), ConfigError);

it('needs only helo and mailFrom', () => {
  const rest = { concurrency: 2_000, listsFolder: undefined, blockLists: [] };
  expect(settle(LIVE)).toEqual({ ...DEFAULT_ENGINE_OPTIONS, ...LIVE, ...rest });
});

it('takes the null sender, an IP address as helo, and empty lists', () => {
  const empty = { dns: [], localAddresses: [], socksProxies: [], greylistRetries: [], blockLists: [] };
  const short = { helo: '[192.0.2.1]', mailFrom: '' };
  expect(settle({ ...short, ...empty })).toMatchObject({ ...short, dns: undefined, greylistRetries: [] });
});

it('takes everything there is', () => {
  const everything = {
    ...LIVE,
    dns: ['127.0.0.1:5353', '192.0.2.53', '2001:db8::53', '[2001:db8::53]:53'],
    smtpPort: 2525,
    localAddresses: ['203.0.113.7', '2001:db8::7'],
    socksProxies: ['socks5://user:secret@proxy.example:1080', 'socks5://192.0.2.1'],
    perHost: { connections: 100, perMinute: 1_000_000, recipientsPerConnection: 100 },
    concurrency: 100_000,
    greylistRetries: [1, 2],
    catchAllByDefault: true,
    allowPrivateAddresses: true,
    blockLists: ['zen.spamhaus.org'],
  };
  const listsFolder = '/etc/verify/lists';
  expect(settle({ ...everything, listsFolder: 'lists' })).toEqual({ ...everything, listsFolder });
  expect(settle({ ...LIVE, listsFolder: '/var/lists' })?.listsFolder).toBe('/var/lists');
});

it('fills in the rest of perHost', () => {
  const { perHost } = settle({ ...LIVE, perHost: { connections: 5 } })!;
  expect(perHost).toEqual({ ...DEFAULT_ENGINE_OPTIONS.perHost, connections: 5 });
});

it('is part of what the service runs by', () => {
  const readFile = () => JSON.stringify({ database: 'data', live: LIVE });
  expect(loadSettings('service.json', {}, readFile).live).toMatchObject(LIVE);
});

it.each<[string, object, RegExp]>([
  ['no helo', { helo: undefined }, /live\.helo to be a host name/],
  ['a helo with a space', { helo: 'verify example' }, /live\.helo to be a host name.*"verify example"/],
  ['a helo with a line break', { helo: 'verify.example\r\nMAIL' }, /live\.helo/],
  ['no sender', { mailFrom: undefined }, /live\.mailFrom to be an address/],
  ['a sender without a domain', { mailFrom: 'probe' }, /live\.mailFrom.*"probe"/],
  ['a sender beyond ASCII', { mailFrom: 'prüfer@verify.example' }, /live\.mailFrom/],
  ['an unknown name', { hello: 'x' }, /got "live\.hello"\. The nearest known name is "live\.helo"/],
  ['an unknown name in perHost', { perHost: { perSecond: 1 } }, /got "live\.perHost\.perSecond"/],
  [
    'no connections',
    { perHost: { connections: 0 } },
    /live\.perHost\.connections to be a whole number from 1 to 100/,
  ],
  ['no verifications', { concurrency: 0 }, /live\.concurrency to be a whole number from 1 to 100,?000/],
  ['too many connections', { perHost: { connections: 101 } }, /from 1 to 100/],
  ['a name server by its name', { dns: ['ns.example'] }, /live\.dns\[0\] to be an IP address/],
  ['a name server with a wrong port', { dns: ['127.0.0.1:0'] }, /live\.dns\[0\]/],
  ['a local address that is not one', { localAddresses: ['eth0'] }, /live\.localAddresses\[0\].*"eth0"/],
  ['a greylist retry at once', { greylistRetries: [0] }, /live\.greylistRetries\[0\]/],
  ['a port of 0', { smtpPort: 0 }, /live\.smtpPort/],
  ['a text for a switch', { allowPrivateAddresses: 'no' }, /live\.allowPrivateAddresses to be true or false/],
  ['a block list that is not a domain', { blockLists: ['http://x'] }, /live\.blockLists\[0\]/],
])('refuses %s and names the place', (_, change, message) => {
  expect(faultOf({ ...LIVE, ...change })).toMatch(message);
});

it.each([
  'http://user:hush@proxy.example',
  'socks5://',
  'socks4://proxy.example',
  'socks5://a:hush@b/c',
  'hush',
])('refuses the proxy "%s" without quoting it', (url) => {
  const fault = faultOf({ ...LIVE, socksProxies: [url] });
  expect(fault).toContain('live.socksProxies[0]');
  expect(fault).not.toContain('hush');
});
