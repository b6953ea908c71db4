/** Hosts of a URL that no webhook may go to, in every notation that a URL can have. */
export const PRIVATE_HOSTS = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0.0.0.0', 'localhost', 'a.localhost'],
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '168.63.129.16', '100.64.0.1'],
  ...['[::1]', '[::]', '[::7f00:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]'],
  ...['[fd00::1]', '[fe80::1]'],
];
