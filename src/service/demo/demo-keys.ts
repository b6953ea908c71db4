/** The ready keys of the demo. They work only on this machine and return only sample results. */
import type { KeyEntry } from '../config/sections/keys-section.ts';

export const DEMO_KEYS: readonly KeyEntry[] = [
  { key: 'test_public_demo', kind: 'public', trustedDomains: ['localhost', '127.0.0.1', '::1'] },
  { key: 'test_private_demo', kind: 'private', trustedIps: ['127.0.0.0/8', '::1'] },
];
