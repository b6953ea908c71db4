/** Where mail must not go, in every notation that a hostile zone can use. */

export const PRIVATE_ADDRESSES = {
  A: [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.0.1',
    '255.255.255.255',
  ],
  AAAA: [
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
  ],
  /** As the host of an MX: no name, but other parsers would take it for an address. */
  MX: [
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '[127.0.0.1]',
    '::1',
    '[::1]',
    'localhost',
    'localhost.localdomain',
    'mail.localhost',
  ],
} as const;
