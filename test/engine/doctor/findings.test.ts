/** Every finding of `doctor`, word for word: operators act on them. */
import { expect, it } from 'vitest';
import { reverseIp } from '../../../src/engine/dns/reverse-name.ts';
import type { Finding } from '../../../src/engine/doctor/finding.ts';
import { type Case, examine, mailAt, OWN_IP, PROVIDERS, SHUT, WELL } from './examine.ts';

const SILENT = { trouble: { kind: 'no-answer' } } as const;
const FAILING = { trouble: { kind: 'failed', code: 'SERVFAIL' } } as const;
const AGAIN = 'Run doctor again.';
const LIST = 'list.example';
const listing = (...codes: string[]) => ({ ...WELL, [`${reverseIp(OWN_IP)}.${LIST}`]: { a: codes } });

/** Makes the findings of a status. */
const finding = (status: Finding['status']) => (check: string, text: string, advice?: string) =>
  ({ check, status, text, ...(advice !== undefined && { advice }) }) as Finding;
const [ok, problem] = [finding('ok'), finding('problem')];
const [warning, unknown] = [finding('warning'), finding('unknown')];

const CHECK_SERVERS =
  'Check the name servers of this machine, or set live.dns to name servers that answer it.';
const OWN_RESOLVER = 'Use your own resolver. Most lists require this.';
const NO_ADDRESS = unknown(
  'block lists',
  'The public IP address of this machine is not known.',
  'Set live.localAddresses to it, or add an A record for live.helo.',
);

it.each<[string, Case, Finding]>([
  ['name servers that answer', {}, ok('name servers', 'The name servers answer.')],
  [
    'silent name servers',
    { names: { ...WELL, 'gmail.com': SILENT } },
    problem('name servers', 'The name servers do not answer.', CHECK_SERVERS),
  ],
  [
    'name servers that fail',
    { names: { ...WELL, 'gmail.com': FAILING } },
    problem('name servers', 'The name servers say SERVFAIL.', CHECK_SERVERS),
  ],
  [
    'name servers that do not know the public DNS',
    { names: {} },
    problem(
      'name servers',
      'The name servers say that gmail.com takes no mail.',
      'They do not know the public DNS. Set live.dns to name servers that do.',
    ),
  ],
  ['an open port', {}, ok('port 25', 'Mail servers of large providers can be reached.')],
  [
    'a closed port',
    {
      options: { smtpPort: 2525 },
      connect: (ip) => ({ kind: 'closed', why: ip.startsWith('1') ? 'refused' : 'no answer in time' }),
    },
    problem(
      'port 2525',
      'No mail server of 4 large providers can be reached (refused, no answer in time).',
      'Ask your hosting company to open outgoing port 2525, or set live.socksProxies. Live keys get a 503 until then.',
    ),
  ],
  [
    'a port that is closed to three of four, while the DNS does not tell about the fourth',
    { names: { ...WELL, 'yahoo.com': SILENT }, connect: () => SHUT },
    problem(
      'port 25',
      'No mail server of 3 large providers can be reached (no answer in time).',
      'Ask your hosting company to open outgoing port 25, or set live.socksProxies. Live keys get a 503 until then.',
    ),
  ],
  [
    'a port about which too few tell',
    { names: { ...WELL, 'yahoo.com': SILENT, 'icloud.com': SILENT }, connect: () => SHUT },
    unknown(
      'port 25',
      'Only 2 of 4 large providers could be looked up, and none was reached.',
      'Check the name servers first.',
    ),
  ],
  ['a name in EHLO that fits', {}, ok('helo', `verify.example.org is ${OWN_IP}.`)],
  [
    'a name in EHLO that has the right IPv6 address beside another IP address',
    {
      names: {
        ...WELL,
        'verify.example.org': { a: ['203.0.114.9'], aaaa: ['2a00::7'] },
        '2a00::7': { ptr: ['verify.example.org'] },
      },
      options: { localAddresses: ['2a00::7'] },
    },
    ok('helo', 'verify.example.org is 203.0.114.9, 2a00::7.'),
  ],
  ...['localhost', '[198.51.99.7]'].map((helo): [string, Case, Finding] => [
    `${helo} in EHLO`,
    { options: { helo } },
    warning(
      'helo',
      `live.helo is ${helo}, which is not a name in the DNS.`,
      'Set live.helo to a host name of your own domain, such as verify.example.org. Large providers refuse others.',
    ),
  ]),
  [
    'a name in EHLO that the DNS does not tell about',
    { names: { ...WELL, 'verify.example.org': SILENT } },
    unknown('helo', 'The name servers did not say which IP address verify.example.org has.', AGAIN),
  ],
  [
    'a name in EHLO without an IP address',
    { names: PROVIDERS },
    warning(
      'helo',
      'verify.example.org has no IP address in the DNS.',
      'Add an A record for verify.example.org with the public IP address of this machine.',
    ),
  ],
  [
    'a name in EHLO with the IP addresses of other machines',
    {
      names: { ...WELL, 'verify.example.org': { a: ['203.0.114.8', '203.0.114.9'] } },
      options: { localAddresses: ['198.51.99.8', OWN_IP] },
    },
    warning(
      'helo',
      `verify.example.org is 203.0.114.8, 203.0.114.9, and conversations begin at 198.51.99.8, ${OWN_IP}.`,
      'Add an A or AAAA record for verify.example.org with each IP address that conversations begin at.',
    ),
  ],
  [
    'reverse DNS that fits a name in EHLO with capital letters',
    { names: { ...WELL, 'Verify.Example.org': { a: [OWN_IP] } }, options: { helo: 'Verify.Example.org' } },
    ok('reverse DNS', `The reverse DNS of ${OWN_IP} is Verify.Example.org.`),
  ],
  [
    'reverse DNS that the DNS does not tell about',
    { names: { ...WELL, [OWN_IP]: FAILING } },
    unknown('reverse DNS', `The name servers did not say which name ${OWN_IP} has.`, AGAIN),
  ],
  [
    'reverse DNS with other names',
    { names: { ...WELL, [OWN_IP]: { ptr: ['a.example.net', 'b.example.net'] } } },
    warning(
      'reverse DNS',
      `The reverse DNS of ${OWN_IP} is a.example.net, b.example.net, and live.helo is verify.example.org.`,
      `Ask the company that gave you ${OWN_IP} to set its reverse DNS (PTR) to verify.example.org.`,
    ),
  ],
  [
    'a sender that takes mail',
    {
      names: {
        ...WELL,
        'example.org': {
          mx: [
            { preference: 1, exchange: 'a.example.org' },
            { preference: 2, exchange: 'b.example.org' },
          ],
        },
      },
    },
    ok('sender MX', 'example.org takes mail at a.example.org, b.example.org.'),
  ],
  [
    'a sender whose MX the DNS does not tell',
    { names: { ...WELL, 'example.org': FAILING } },
    unknown('sender MX', 'The name servers did not say where example.org takes mail.', AGAIN),
  ],
  [
    'a sender without MX',
    { names: { ...WELL, 'example.org': {} } },
    warning(
      'sender MX',
      'example.org has no MX record, or a null MX.',
      'Set live.mailFrom to an address that takes mail, or add an MX record to example.org.',
    ),
  ],
  [
    'a sender with SPF in capital letters that says nothing more',
    { names: { ...WELL, 'example.org': { txt: ['site=1', 'v=spf10', 'other v=spf1 ', 'V=SPF1'] } } },
    ok('sender SPF', 'example.org says V=SPF1.'),
  ],
  [
    'a sender with a long SPF record',
    { names: { ...WELL, 'example.org': { txt: [`v=spf1 ${'x'.repeat(300)}`] } } },
    ok('sender SPF', `example.org says v=spf1 ${'x'.repeat(193)}.`),
  ],
  [
    'a sender with two SPF records',
    { names: { ...WELL, 'example.org': { txt: ['v=spf1 -all', 'v=spf1 mx -all'] } } },
    warning(
      'sender SPF',
      'example.org has 2 SPF records, which counts as an error.',
      'Join them into one TXT record.',
    ),
  ],
  [
    'a sender whose SPF the DNS does not tell',
    { names: { ...WELL, 'example.org': SILENT } },
    unknown('sender SPF', 'The name servers did not say which SPF record example.org has.', AGAIN),
  ],
  [
    'a sender without SPF',
    { names: { ...WELL, 'example.org': mailAt('mx.example.org') } },
    warning(
      'sender SPF',
      'example.org has no SPF record.',
      'Add a TXT record to example.org: "v=spf1 ip4:THE-IP-ADDRESS-OF-THIS-MACHINE -all", or add that ip4 to the record that your other mail needs.',
    ),
  ],
  [
    'a machine that is on no block list',
    { options: { blockLists: [LIST] } },
    ok(`block list ${LIST}`, `${OWN_IP} is not listed.`),
  ],
  [
    'a block list that knows the name, and has no record of it',
    { names: { ...WELL, [`${reverseIp(OWN_IP)}.${LIST}`]: {} }, options: { blockLists: [LIST] } },
    ok(`block list ${LIST}`, `${OWN_IP} is not listed.`),
  ],
  [
    'a machine on a block list',
    { names: listing('127.0.0.2', '127.255.255.254', '127.0.0.4'), options: { blockLists: [LIST] } },
    warning(
      `block list ${LIST}`,
      `${OWN_IP} is listed (127.0.0.2, 127.0.0.4).`,
      `Ask ${LIST} why, and have it removed. Until then many mail servers refuse to answer.`,
    ),
  ],
  ...['127.255.255.254', '127.0.0.1', '203.0.114.1', '1.127.0.2'].map((code): [string, Case, Finding] => [
    `a block list that answers ${code}`,
    { names: listing(code), options: { blockLists: [LIST] } },
    unknown(`block list ${LIST}`, `The list did not answer about ${OWN_IP}.`, OWN_RESOLVER),
  ]),
  [
    'a block list that does not answer',
    { names: { ...WELL, [`${reverseIp(OWN_IP)}.${LIST}`]: SILENT }, options: { blockLists: [LIST] } },
    unknown(`block list ${LIST}`, `The list did not answer about ${OWN_IP}.`, OWN_RESOLVER),
  ],
  [
    'block lists for a machine of which nobody knows an IP address',
    {
      names: PROVIDERS,
      options: { blockLists: [LIST], localAddresses: [], allowPrivateAddresses: true },
      connect: () => ({ kind: 'open' }),
    },
    NO_ADDRESS,
  ],
  [
    'block lists for a machine that does not know its public IP address',
    { names: PROVIDERS, options: { blockLists: [LIST], localAddresses: ['10.0.0.5'] } },
    NO_ADDRESS,
  ],
])('says what it finds about %s', async (_, machine, finding) => {
  const { findings } = await examine(machine);
  expect(findings).toContainEqual(finding);
  expect(findings.filter(({ check }) => check === finding.check)).toEqual([finding]);
});

it('checks every public IP address from which conversations start', async () => {
  const { findings } = await examine({
    names: {
      ...WELL,
      'verify.example.org': { a: [OWN_IP, '198.51.99.8'] },
      '198.51.99.8': { ptr: ['verify.example.org'] },
    },
    options: { localAddresses: [OWN_IP, '10.0.0.5', '198.51.99.8'], blockLists: ['a.example', 'b.example'] },
  });
  expect(findings.map(({ check, text, status }) => `${check} ${status}: ${text}`).slice(2)).toEqual([
    `helo ok: verify.example.org is ${OWN_IP}, 198.51.99.8.`,
    `reverse DNS ok: The reverse DNS of ${OWN_IP} is verify.example.org.`,
    'reverse DNS ok: The reverse DNS of 198.51.99.8 is verify.example.org.',
    'sender MX ok: example.org takes mail at mx.example.org.',
    `sender SPF ok: example.org says v=spf1 ip4:${OWN_IP} -all.`,
    `block list a.example ok: ${OWN_IP} is not listed.`,
    'block list a.example ok: 198.51.99.8 is not listed.',
    `block list b.example ok: ${OWN_IP} is not listed.`,
    'block list b.example ok: 198.51.99.8 is not listed.',
  ]);
});

it('checks private IP addresses if they are allowed', async () => {
  const names = { ...WELL, 'verify.example.org': { a: ['10.0.0.5'] }, '10.0.0.5': { ptr: ['a.example'] } };
  const options = { localAddresses: ['10.0.0.5'], blockLists: [LIST], allowPrivateAddresses: true };
  const { of } = await examine({ names, options });
  const message = 'The reverse DNS of 10.0.0.5 is a.example, and live.helo is verify.example.org.';
  expect(of('reverse DNS')?.text).toBe(message);
  expect(of(`block list ${LIST}`)?.text).toBe('10.0.0.5 is not listed.');
});

it('takes the IP address of a connection, if the config names none', async () => {
  const connect = () => ({ kind: 'open', localIp: '198.51.99.9' }) as const;
  const { of } = await examine({ connect, options: { localAddresses: [], blockLists: [LIST] } });
  expect(of('helo')?.text).toBe(`verify.example.org is ${OWN_IP}, and conversations begin at 198.51.99.9.`);
  expect(of(`block list ${LIST}`)?.text).toBe('198.51.99.9 is not listed.');
});

it('checks the IP addresses of the name in EHLO in block lists, if no other is known', async () => {
  const connect = () => ({ kind: 'open' }) as const;
  const { of } = await examine({ connect, options: { localAddresses: [], blockLists: [LIST] } });
  expect(of(`block list ${LIST}`)?.text).toBe(`${OWN_IP} is not listed.`);
});

it.each([
  ['ada@[192.0.2.1]', []],
  ['ada@192.0.2.1', []],
  ['', ['sender SPF']],
])('asks the DNS only what it needs about the sender "%s"', async (mailFrom, expected) => {
  const { findings } = await examine({ options: { mailFrom } });
  expect(findings.map(({ check }) => check)).toEqual([
    ...['name servers', 'port 25', 'helo', 'reverse DNS'],
    ...expected,
  ]);
});

it('gives no advice if all is well', async () => {
  const { of } = await examine({});
  expect(Object.keys(of('helo')!)).toEqual(['check', 'status', 'text']);
});

it('reports no block lists if the config names none', async () => {
  const { findings } = await examine({ names: PROVIDERS, options: { localAddresses: ['10.0.0.5'] } });
  expect(findings.filter(({ check }) => check.startsWith('block list'))).toEqual([]);
});

it('tries mail servers over IPv4, which every machine has', async () => {
  const tried: string[] = [];
  await examine({
    names: { ...WELL, 'mx.google.com': { a: ['142.250.1.1'], aaaa: ['2a00:1450::1'] } },
    connect(ip) {
      tried.push(ip);
      return SHUT;
    },
  });
  expect(tried.sort()).toEqual(['142.250.1.1', '17.57.1.1', '52.101.1.1', '67.195.1.1']);
});

it('takes the text after the last @ of the sender as its domain', async () => {
  const { of } = await examine({ options: { mailFrom: '"a@b"@example.org' } });
  expect(of('sender MX')?.text).toBe('example.org takes mail at mx.example.org.');
});
