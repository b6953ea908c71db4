/** The text that the demo prints once it is ready. */
import type { DemoAccount } from './demo-account.ts';
import type { DemoUrls } from './own-addresses.ts';

/** The demo's account and its database, or why they are missing. */
export type DemoData =
  | { readonly account: DemoAccount; readonly what: string }
  | { readonly account: undefined; readonly reason: string };

export function demoWelcome({ here, network }: DemoUrls, data: DemoData): string {
  const accounts = data.account
    ? `  Dashboard  ${here}/dashboard/
  Account    ${data.account.email}, password ${data.account.password} (a new one at every start)
  Data       ${data.what}`
    : `  Account    none, because the demo runs without a database. ${data.reason}`;
  const liveKey = data.account?.liveKey;
  const live =
    liveKey === undefined ? '' : `\n  Live key for this machine: ${liveKey} (a new one at every start)`;
  return `
  Demo       ${here}/${onPhones(network)}
  Widget     ${here}/v2/
  Service    ${here}/v1/verify${data.account ? `, ${here}/v1/batch, ${here}/v1/account` : ''}
  Docs       ${here}/docs/, ${here}/reference/ (the module)
${accounts}

  Test keys for this machine: test_public_demo (in pages), test_private_demo (from programs)${live}
  Embed:   <script async src="${here}/v2/" data-api-key="test_public_demo"></script>
           in any page at http://localhost or http://127.0.0.1, on any port
  Try it:  curl '${here}/v1/verify?api_key=test_private_demo&email=deliverable@example.com'
${network ? '' : '  Phone:   to open the demo on a phone in your network, run npm start -- --host 0.0.0.0\n'}
  Press Ctrl+C to stop.
`;
}

/** Where to open the demo on another device, and who can. */
function onPhones(network: DemoUrls['network']): string {
  if (!network) return '';
  if (network.length === 0) return '\n  Phone      none, because this machine has no address in a network';
  const urls = network.map((url) => `\n  Phone      ${url}/`).join('');
  return `${urls}\n             Every device in your network can open the demo until you stop it.`;
}
