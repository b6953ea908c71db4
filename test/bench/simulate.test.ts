import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockOf, LOAD_RESULTS } from '../../bench/load/docs.ts';
import { ASSUMPTIONS, type AssumptionName, DEFAULTS, PROVIDERS } from '../../bench/simulate/assumptions.ts';
import { main } from '../../bench/simulate/main.ts';
import { demandOf, storageOf } from '../../bench/simulate/model.ts';
import { readOptions } from '../../bench/simulate/options.ts';
import { play, seeded } from '../../bench/simulate/queue.ts';
import { playDemand, reportModel } from '../../bench/simulate/report.ts';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/engine/options.ts';
import { organisationOf } from '../../src/engine/providers.ts';
import { DEFAULT_DURATIONS } from '../../src/service/config/sections/durations-section.ts';

describe('the assumptions', () => {
  it('have a unit and a source each', () => {
    for (const { unit, source, what } of Object.values(ASSUMPTIONS)) {
      expect([unit, source, what]).not.toContain('');
    }
  });

  it('share all addresses among the providers', () => {
    expect(PROVIDERS.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 10);
  });

  it('are the defaults of the service where they say so', () => {
    const { connections, perMinute, recipientsPerConnection } = DEFAULT_ENGINE_OPTIONS.perHost;
    expect(DEFAULTS).toMatchObject({
      ...{ connectionsPerIp: connections, perMinutePerIp: perMinute, recipients: recipientsPerConnection },
      retentionDays: DEFAULT_DURATIONS.inlineResults / 86_400,
    });
    const microsoft = PROVIDERS.find(({ name }) => name === 'Microsoft');
    const limits = organisationOf('x.mail.protection.outlook.com').limits?.recipientsPerConnection;
    expect(microsoft?.recipients).toBe(limits);
  });

  it('are near the last measurement', () => {
    const text = readFileSync(LOAD_RESULTS, 'utf8');
    const cells = (row: string) => new RegExp(`^\\| ${row} +\\|(.*)$`, 'm').exec(text)?.[1]?.split('|') ?? [];
    const pairs: [AssumptionName, string | undefined][] = [
      ['storedOfLive', cells('a live verification')[0]],
      ['walOfLive', cells('a live verification')[1]],
      ['storedOfRow', cells('an address of a batch')[0]],
      ['walOfRow', cells('an address of a batch')[1]],
    ];
    for (const [name, cell] of pairs) {
      // Before the first whole run, there is nothing to compare with.
      const measured = cell === undefined ? DEFAULTS[name] : Number.parseFloat(cell);
      const ratio = DEFAULTS[name] / measured;
      expect([name, measured, ratio > 0.67 && ratio < 1.5]).toEqual([name, measured, true]);
    }
  });
});

describe('the arithmetic', () => {
  const values = { ...DEFAULTS, verificationsPerMonth: 2_592_000_000, peak: 2, repeatShare: 0 };
  const provider = { name: 'one', share: 0.5, organisations: 1, source: 'this test' };

  it('leads from a month to open connections', () => {
    // 1,000 a second on average, 2,000 in the busiest hour, and 1,000 of them here. 24 replies are 3.6 s, and 5 are 0.75 s.
    const demand = demandOf(provider, values);
    expect(demand).toMatchObject({ verifications: 1_000, batchConversations: 45 });
    expect(demand.liveConversations).toBeCloseTo(100, 9);
    expect([demand.batchS, demand.liveS]).toEqual([3.6, 0.75]);
    expect(demand.openConnections).toBeCloseTo(45 * 3.6 + 100 * 0.75, 9);
  });

  it('computes the IP addresses for each limit, and takes the larger number', () => {
    const demand = demandOf(provider, values);
    expect([demand.ipsByPace, demand.ipsByConnections, demand.ips]).toEqual([145, 119, 145]);
    expect(demandOf(provider, { ...values, connectionsPerIp: 1 }).ips).toBe(237);
  });

  it('divides the load among many organisations', () => {
    expect(demandOf({ ...provider, organisations: 1_000 }, values).ips).toBe(1);
  });

  it('respects the provider’s limit of addresses in a conversation', () => {
    expect(demandOf({ ...provider, recipients: 5 }, values).batchConversations).toBe(180);
    expect(demandOf({ ...provider, recipients: 500 }, values).batchConversations).toBe(45);
  });

  it('adds up rows and bytes', () => {
    expect(
      storageOf({ ...values, walOfLive: 1, walOfRow: 2, storedOfLive: 3, storedOfRow: 4, retentionDays: 15 }),
    ).toEqual({
      ...{ meanPerSecond: 1_000, peakPerSecond: 2_000 },
      ledgerRows: expect.closeTo(259_200_000, 0),
      batchRows: 2_332_800_000,
      walPerDay: expect.closeTo((259_200_000 + 2 * 2_332_800_000) / 30, 0),
      walAtPeak: expect.closeTo(2 * (100 + 2 * 900), 6),
      batchesKept: 2_332_800_000 * 2,
      ledgerPerMonth: expect.closeTo(259_200_000 * 3, 0),
    });
  });
});

describe('the simulation', () => {
  it.each(PROVIDERS)('agrees with the arithmetic, if there are IP addresses enough: $name', (provider) => {
    const demand = demandOf(provider, DEFAULTS);
    const { open, left } = playDemand(demand, DEFAULTS);
    expect(Math.abs((open * provider.organisations) / demand.openConnections - 1)).toBeLessThan(0.03);
    expect(left).toBe(0);
  });

  it('shows a growing queue with too few IP addresses for the pace', () => {
    const [google] = PROVIDERS;
    const values = { ...DEFAULTS, ipAddresses: 60, connectionsPerIp: 100 };
    const demand = demandOf(google!, values);
    expect(demand.paceUsed).toBeGreaterThan(1);
    const { left, meanWait, begun } = playDemand(demand, values);
    expect(left).toBeGreaterThan(1_000);
    expect(meanWait).toBeGreaterThan(60);
    // As many as the limit lets begin: 60 IP addresses, 60 a minute each, for 25 minutes.
    expect(Math.abs(begun / (60 * 60 * 25) - 1)).toBeLessThan(0.05);
  });

  it('shows a growing queue with too few connections', () => {
    const values = { ...DEFAULTS, ipAddresses: 60, perMinutePerIp: 1_000 };
    const demand = demandOf(PROVIDERS[0]!, values);
    expect(demand.connectionsUsed).toBeGreaterThan(1);
    const { open, left } = playDemand(demand, values);
    expect(open).toBeCloseTo(120, 0);
    expect(left).toBeGreaterThan(1_000);
  });

  it('finds the waits of a queue with one server (Pollaczek and Khinchine)', () => {
    const { meanWait } = play({
      ...{ kinds: [{ perSecond: 0.8, seconds: 1 }], connections: 1, perMinute: 1_000_000 },
      ...{ seconds: 400_000, warmUpSeconds: 1_000, random: seeded(3) },
    });
    // Mean wait of M/D/1: load × duration ÷ (2 × (1 − load)).
    expect(Math.abs(meanWait / (0.8 / (2 * 0.2)) - 1)).toBeLessThan(0.05);
  });
});

describe('the command', () => {
  function run(...words: string[]) {
    const said: string[] = [];
    const complained: string[] = [];
    const code = main(
      words,
      (text) => said.push(text),
      (text) => complained.push(text),
    );
    return { code, said: said.join(''), complained: complained.join('') };
  }

  it('takes each assumption as an option, in both forms', () => {
    expect(readOptions(['--ip-addresses', '32', '--verifications-per-month=1e8'])).toEqual({
      ...DEFAULTS,
      ...{ ipAddresses: 32, verificationsPerMonth: 1e8 },
    });
    expect(run('--ip-addresses', '32').said).toMatch(/`--ip-addresses` +\| +32 \|.* the command line \|/);
  });

  it('explains each option with --help', () => {
    const { code, said } = run('--help');
    expect(code).toBe(0);
    expect(said).toContain('--wal-of-row');
  });

  it.each([
    [['--ip-addresses', '1.5'], '--ip-addresses to be a whole number of 1 or more (IP addresses), got "1.5"'],
    [['--batch-share', '2'], '--batch-share to be a number from 0 to 1 (of all), got "2"'],
    [['--peak'], '--peak to be a number above 0 (times), got nothing'],
    [['--peak='], 'got ""'],
    [['--verifications-per-month', '-1'], 'a number above 0'],
    [['--nonsense', '1'], 'Expected one of --verifications-per-month'],
    [['1000'], 'got 1000'],
  ])('ends with 2 and says what it expected: %j', (words, message) => {
    const { code, said, complained } = run(...words);
    expect([code, said]).toEqual([2, '']);
    expect(complained).toContain(message);
  });

  it('prints the same each time, and the page contains it', () => {
    expect(reportModel(DEFAULTS)).toBe(reportModel(DEFAULTS));
    const page = blockOf(readFileSync('docs/scaling.md', 'utf8'), 'simulated');
    // To mend it, run `npm run simulate -- --write`.
    expect(page).toBe(reportModel(DEFAULTS).trim());
  });

  it('needs as many IP addresses as the page says', () => {
    const needed = Math.max(...PROVIDERS.map((provider) => demandOf(provider, DEFAULTS).ips));
    expect(readFileSync('docs/scaling.md', 'utf8')).toContain(`you need ${needed} IP addresses`);
  });
});
