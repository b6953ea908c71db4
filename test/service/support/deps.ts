/** The record of dependencies of a process, for tests. It has everything but the database. */
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { createSampleVerifier } from '../../../src/sample/sample-verifier.ts';
import type { ServiceOptions } from '../../../src/service/app/web.ts';
import { loadLooseSettings } from '../../../src/service/config/load-settings.ts';
import type { CallbackRules } from '../../../src/service/config/sections/callbacks-section.ts';
import type { Durations } from '../../../src/service/config/sections/durations-section.ts';
import type { Limits } from '../../../src/service/config/sections/limits-section.ts';
import { type LiveSettings, settleLive } from '../../../src/service/config/sections/live-section.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { createPublicUrl } from '../../../src/service/core/public-url.ts';
import type { Deps, Settings } from '../../../src/service/deps/deps.ts';
import { createUsageCounter } from '../../../src/service/usage/usage-counter.ts';

/** Settings that differ from the defaults. */
export interface Changes extends Partial<Omit<Settings, 'limits' | 'durations' | 'callbacks' | 'live'>> {
  readonly limits?: Partial<Limits> | undefined;
  readonly durations?: Partial<Durations> | undefined;
  readonly callbacks?: Partial<CallbackRules> | undefined;
  readonly live?: Partial<LiveSettings> | undefined;
}

const DEFAULTS = loadLooseSettings(undefined, {});
const LIVE = settleLive({ helo: 'verify.example', mailFrom: '' }, '/');

export const settingsWith = ({ limits, durations, callbacks, live, ...others }: Changes = {}): Settings => ({
  ...DEFAULTS,
  ...others,
  limits: { ...DEFAULTS.limits, ...limits },
  durations: { ...DEFAULTS.durations, ...durations },
  callbacks: { ...DEFAULTS.callbacks, ...callbacks },
  live: { ...LIVE, ...live },
});

/** The public URL, with which links begin. */
export const PUBLIC_URL = Promise.resolve('https://verify.example');

let made: Verifier | undefined;
/** Made when it is used, because the lists are large. */
const sampleVerifier = () => (made ??= createSampleVerifier(createFacts(loadPublishedLists()), false));

export const DEPS: Omit<Deps, 'db' | 'processId'> = {
  log: silentLog,
  lease: { isHeld: () => true, expectHeld: async () => {}, runSuspect: (run) => run() },
  settings: settingsWith(),
  publicUrl: createPublicUrl('https://verify.example'),
  usage: createUsageCounter(),
  billing: undefined,
  untilUnlocked: async () => {},
  onCredits: () => {},
  sampleVerifier: (request) => sampleVerifier()(request),
  wakeBatches: () => {},
  wakeCallbacks: () => {},
  isReady: () => true,
  trouble: () => 'away',
  isPortClosed: () => false,
  lists: () => [],
};

/** The options of a service, with the settings that differ from the defaults. */
export type ServiceChanges = Partial<Omit<ServiceOptions, 'settings'>> &
  Pick<Changes, 'limits' | 'publicUrl' | 'trustProxy'>;

export const withSettings = ({ limits, publicUrl, trustProxy = false, ...options }: ServiceChanges) => ({
  ...options,
  settings: settingsWith({ limits, publicUrl, trustProxy }),
});
