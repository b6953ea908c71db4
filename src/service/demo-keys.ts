/** The ready keys of the demo. They work on this machine only, and give sample results only. */
import type { KeyEntry } from './config/keys.ts';

export const DEMO_KEYS: readonly KeyEntry[] = [
  { key: 'test_public_demo', kind: 'public', trustedDomains: ['localhost', '127.0.0.1', '::1'] },
  { key: 'test_private_demo', kind: 'private', trustedIps: ['127.0.0.0/8', '::1'] },
];

/** What is printed once the demo can be opened. */
export function demoWelcome(address: string): string {
  return `
  Demo     ${address}/
  Widget   ${address}/v2/
  Service  ${address}/v1/verify
  Docs     ${address}/docs/ (the service), ${address}/reference/ (the module)

  Test keys for this machine: test_public_demo (in pages), test_private_demo (from programs)
  Embed:   <script async src="${address}/v2/" data-api-key="test_public_demo"></script>
           in any page at http://localhost or http://127.0.0.1, on any port
  Try it:  curl '${address}/v1/verify?api_key=test_private_demo&email=deliverable@example.com'

  Press Ctrl+C to stop.
`;
}
