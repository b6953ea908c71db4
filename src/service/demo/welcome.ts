/** The text that the demo prints once it is ready. */
import type { DemoAccount } from './account.ts';

/** The demo's account and its database, or why they are missing. */
export type DemoData =
  | { readonly account: DemoAccount; readonly what: string }
  | { readonly account: undefined; readonly reason: string };

export function demoWelcome(address: string, data: DemoData): string {
  const accounts = data.account
    ? `  Dashboard  ${address}/dashboard/
  Account    ${data.account.email}, password ${data.account.password} (a new one at every start)
  Data       ${data.what}`
    : `  Account    none, because the demo runs without a database. ${data.reason}`;
  const liveKey = data.account?.liveKey;
  const live =
    liveKey === undefined ? '' : `\n  Live key for this machine: ${liveKey} (a new one at every start)`;
  return `
  Demo       ${address}/
  Widget     ${address}/v2/
  Service    ${address}/v1/verify${data.account ? `, ${address}/v1/batch, ${address}/v1/account` : ''}
  Docs       ${address}/docs/ (the service), ${address}/reference/ (the module)
${accounts}

  Test keys for this machine: test_public_demo (in pages), test_private_demo (from programs)${live}
  Embed:   <script async src="${address}/v2/" data-api-key="test_public_demo"></script>
           in any page at http://localhost or http://127.0.0.1, on any port
  Try it:  curl '${address}/v1/verify?api_key=test_private_demo&email=deliverable@example.com'

  Press Ctrl+C to stop.
`;
}
