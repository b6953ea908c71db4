/** The section `live`: the settings of live verification. Without it, live keys get a 503. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { toAsciiDomain } from '../../../engine/address/domain.ts';
import { isAddress } from '../../../engine/address/syntax.ts';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../../engine/options.ts';
import { optionalNumber, optionalPath, refuse, section, wholeNumber, yesNo } from './shared-schemas.ts';

/** A day. A mail server that has not accepted a stranger by then never will. */
const LONGEST_RETRY_S = 86_400;
const MOST_RETRIES = 10;
/**
 * By `npm run bench:load`, a process does some hundred verifications a second, and each lasts a second or two. This is
 * enough for mail servers that take twice as long.
 */
const DEFAULT_CONCURRENCY = 2_000;

const texts = (expected: string, description: string, secret = false) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, expected, secret }), {
      maxItems: 256,
      expected: `a list, each ${expected}`,
      secret,
      description,
      default: [],
    }),
  );

const { perHost: PER_HOST } = DEFAULT_ENGINE_OPTIONS;

export const LiveSchema = section(
  {
    helo: Type.String({
      expected: 'a host name such as "verify.example"',
      description:
        'The host name that the service sends in EHLO. Set the reverse DNS of your IP address to the same name.',
    }),
    mailFrom: Type.String({
      expected: 'an address, or "" for the null sender',
      emptyCounts: true,
      description: 'The sender in MAIL FROM. An empty text is the null sender.',
    }),
    dns: texts(
      'an IP address with or without a port',
      'The name servers that the service queries, such as `["127.0.0.1:5353"]`. If the list is empty, it queries those of the system.',
    ),
    smtpPort: optionalNumber(1, 65_535, {
      description: 'The port of mail servers. Change it only for tests.',
      default: DEFAULT_ENGINE_OPTIONS.smtpPort,
    }),
    localAddresses: texts(
      'an IP address',
      'The IP addresses of this machine that connections to mail servers start from, in turn. If the list is empty, the system chooses.',
    ),
    socksProxies: texts(
      'a socks5:// URL',
      'The SOCKS5 proxies that connections to mail servers go through, in turn, such as `["socks5://user:secret@proxy.example:1080"]`.',
      true,
    ),
    // The limits for the mail servers of one organisation.
    perHost: Type.Optional(
      section({
        connections: optionalNumber(1, 100, {
          description:
            'How many conversations with the mail servers of one organisation may run at once, in all processes together.',
          default: PER_HOST.connections,
        }),
        perMinute: optionalNumber(1, 1_000_000, {
          description:
            'How many conversations with one organisation may begin in a minute, in all processes together.',
          default: PER_HOST.perMinute,
          unit: 'conversations per minute',
        }),
        recipientsPerConnection: optionalNumber(1, 100, {
          description: 'How many addresses the service may verify in one conversation.',
          default: PER_HOST.recipientsPerConnection,
        }),
      }),
    ),
    concurrency: optionalNumber(1, 100_000, {
      description:
        'How many live verifications a process runs at once for requests. Further requests get a 503: see [Overload protection](scaling.md#overload-protection).',
      default: DEFAULT_CONCURRENCY,
    }),
    greylistRetries: Type.Optional(
      Type.Array(wholeNumber(1, LONGEST_RETRY_S), {
        maxItems: MOST_RETRIES,
        expected: `a list of at most ${MOST_RETRIES} whole numbers of seconds`,
        description:
          'How long a batch waits before each retry of a result that may be temporary. If the list is empty, it does not retry.',
        default: DEFAULT_ENGINE_OPTIONS.greylistRetries,
        unit: 'seconds',
      }),
    ),
    catchAllByDefault: yesNo(
      'Whether batches check for accept-all if their request does not have the parameter `accept_all`. A domain is asked about once, so this costs little.',
      true,
    ),
    allowPrivateAddresses: yesNo(
      'Whether the service contacts mail servers on private IP addresses. Set it only for your own network.',
      false,
    ),
    listsFolder: optionalPath(
      'folder',
      'A folder with [lists of your own](engine.md#lists-of-your-own). A relative path is relative to the same folder as that of `database`.',
    ),
    blockLists: texts(
      'a domain such as "zen.spamhaus.org"',
      'The DNS block lists in which `doctor` looks up the IP address of this machine.',
    ),
  },
  {
    title: 'Live verification',
    description:
      'Without these settings, live keys get a 503. [The engine](engine.md#set-up-live-verification) says how to choose them.',
    expected: 'an object with helo and mailFrom',
  },
);
export type LiveSection = Static<typeof LiveSchema>;

/** The section with every default filled in. */
export interface LiveSettings extends EngineOptions {
  readonly concurrency: number;
  /** Absolute. */
  readonly listsFolder: string | undefined;
  readonly blockLists: readonly string[];
}

/** @throws {ConfigError} for the first value that cannot work */
export function checkLive(live: LiveSection): void {
  const { helo, mailFrom, dns = [], localAddresses = [], socksProxies = [], blockLists = [] } = live;
  refuse(!isHelo(helo), 'live.helo', 'a host name such as "verify.example"', helo);
  const isSender = mailFrom === '' || (isAddress(mailFrom) && /^[\x21-\x7e]+$/.test(mailFrom));
  refuse(!isSender, 'live.mailFrom', 'an address, or "" for the null sender', mailFrom);
  for (const [index, server] of dns.entries()) {
    refuse(!isNameServer(server), `live.dns[${index}]`, 'an IP address such as "127.0.0.1:5353"', server);
  }
  for (const [index, ip] of localAddresses.entries()) {
    refuse(isIP(ip) === 0, `live.localAddresses[${index}]`, 'an IP address of this machine', ip);
  }
  for (const [index, url] of socksProxies.entries()) {
    // A URL may contain a password, so it is not quoted.
    const expected = 'a URL such as "socks5://user:password@host:1080"';
    refuse(!isSocksUrl(url), `live.socksProxies[${index}]`, expected, undefined, 'a string that is not');
  }
  for (const [index, list] of blockLists.entries()) {
    refuse(toAsciiDomain(list) === undefined, `live.blockLists[${index}]`, 'a domain', list);
  }
}

/** RFC 5321, section 4.1.1.1: a name of the machine, or its IP address in brackets. */
function isHelo(text: string): boolean {
  const literal = /^\[(?:IPv6:)?([^\]]+)\]$/i.exec(text)?.[1];
  return literal === undefined ? toAsciiDomain(text) === text.toLowerCase() : isIP(literal) !== 0;
}

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53` */
function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? '') !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}

function isSocksUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  return protocol === 'socks5:' && hostname !== '' && /^\/?$/.test(pathname) && search === '' && hash === '';
}

/** Fills in the defaults. @param base the base folder of relative paths */
export function settleLive(live: LiveSection, base: string): LiveSettings {
  const { listsFolder, blockLists = [], perHost, ...options } = live;
  return {
    ...DEFAULT_ENGINE_OPTIONS,
    concurrency: DEFAULT_CONCURRENCY,
    ...options,
    dns: options.dns?.length ? options.dns : undefined,
    perHost: { ...DEFAULT_ENGINE_OPTIONS.perHost, ...perHost },
    listsFolder: listsFolder === undefined ? undefined : resolve(base, listsFolder),
    blockLists,
  };
}
