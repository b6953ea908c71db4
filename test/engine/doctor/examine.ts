/** A machine that `doctor` looks at, with everything well unless a test says otherwise. */
import { diagnose } from '../../../src/engine/doctor/doctor.ts';
import type { ConnectOutcome } from '../../../src/engine/doctor/port.ts';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../../src/engine/options.ts';
import { fakeResolver, type Names } from './fake-resolver.ts';

export const OWN_IP = '198.51.99.7';
export const mailAt = (host: string) => ({ mx: [{ preference: 10, exchange: host }] });
export const PROVIDERS: Names = {
  'gmail.com': mailAt('mx.google.com'),
  'outlook.com': mailAt('mx.outlook.com'),
  'icloud.com': mailAt('mx.icloud.com'),
  'yahoo.com': mailAt('mx.yahoo.com'),
  'mx.google.com': { a: ['142.250.1.1'] },
  'mx.outlook.com': { a: ['52.101.1.1'] },
  'mx.icloud.com': { a: ['17.57.1.1'] },
  'mx.yahoo.com': { a: ['67.195.1.1'] },
};
export const WELL: Names = {
  ...PROVIDERS,
  'verify.example.org': { a: [OWN_IP] },
  [OWN_IP]: { ptr: ['verify.example.org'] },
  'example.org': { ...mailAt('mx.example.org'), txt: [`v=spf1 ip4:${OWN_IP} -all`, 'site=1'] },
};
export const OPEN: ConnectOutcome = { kind: 'open', localIp: '10.0.0.5' };
export const SHUT: ConnectOutcome = { kind: 'closed', why: 'no answer in time' };

export interface Case {
  readonly names?: Names;
  readonly options?: Partial<EngineOptions & { blockLists: readonly string[] }>;
  readonly connect?: (ip: string) => ConnectOutcome;
}

export async function examine({ names = WELL, options = {}, connect = () => OPEN }: Case) {
  const { findings, isPortClosed } = await diagnose(
    {
      options: {
        ...DEFAULT_ENGINE_OPTIONS,
        helo: 'verify.example.org',
        mailFrom: 'probe@example.org',
        localAddresses: [OWN_IP],
        blockLists: [],
        ...options,
      },
      resolver: fakeResolver(names),
      connect: async (ip) => connect(ip),
    },
    new AbortController().signal,
  );
  const of = (check: string) => findings.find((found) => found.check === check);
  return { findings, isPortClosed, of };
}
