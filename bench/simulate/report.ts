/** Writes the model as text: its assumptions, the computed figures, and the simulated ones. */
import { table } from '../report.ts';
import { ASSUMPTIONS, type AssumptionName, PROVIDERS, type Values } from './assumptions.ts';
import { type Demand, demandOf, storageOf } from './model.ts';
import { flagOf } from './options.ts';
import { type Played, play, seeded } from './queue.ts';

const PLAYED_S = 1_200;
/** The smallest number of simulated conversations. A small organisation has one every few minutes. */
const FEWEST = 20_000;
const WARM_UP_S = 300;

const number = (value: number) =>
  value.toLocaleString('en', { maximumSignificantDigits: 3, maximumFractionDigits: 3 });
const whole = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${number(share * 100)} %`;
/** Decimal units, as for disks. */
function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${number(bytes / 1_000 ** step)} ${units[step]}`;
}

/** The busiest hour at one organisation of the provider, for twenty minutes or longer. */
export function playDemand(demand: Demand, values: Values, random = seeded(1)): Played {
  const { organisations } = demand.provider;
  const perSecond = (demand.batchConversations + demand.liveConversations) / organisations;
  return play({
    kinds: [
      { perSecond: demand.batchConversations / organisations, seconds: demand.batchS },
      { perSecond: demand.liveConversations / organisations, seconds: demand.liveS },
    ],
    connections: values.connectionsPerIp * values.ipAddresses,
    perMinute: values.perMinutePerIp * values.ipAddresses,
    seconds: WARM_UP_S + Math.max(PLAYED_S, FEWEST / perSecond),
    ...{ warmUpSeconds: WARM_UP_S, random },
  });
}

/** Deterministic: the same values give the same text. */
export function reportModel(values: Values): string {
  const demands = PROVIDERS.map((provider) => demandOf(provider, values));
  const storage = storageOf(values);
  const conversations = (demand: Demand) => demand.batchConversations + demand.liveConversations;
  const sum = (of: (demand: Demand) => number) => demands.reduce((total, demand) => total + of(demand), 0);
  return [
    '### Assumptions',
    table(
      ['option', 'value', 'unit', 'what it means', 'source'],
      (Object.keys(ASSUMPTIONS) as AssumptionName[]).map((name) => {
        const { value, unit, what, source } = ASSUMPTIONS[name];
        const own = values[name] === value ? source : 'the command line';
        return [`\`${flagOf(name)}\``, values[name].toLocaleString('en'), unit, what, own];
      }),
    ),
    table(
      ['provider', 'share of addresses', 'organisations', 'source'],
      PROVIDERS.map(({ name, share, organisations, source }) => [
        name,
        percent(share),
        whole(organisations),
        source,
      ]),
    ),
    '### Mail servers, in the busiest hour',
    table(
      [
        'provider',
        'addresses a second',
        'conversations a second',
        'open connections',
        'IP addresses by pace',
        'by connections',
        'needed',
        'used of what there is',
      ],
      [
        ...demands.map((demand) => [
          demand.provider.name,
          number(demand.verifications),
          number(conversations(demand)),
          number(demand.openConnections),
          whole(demand.ipsByPace),
          whole(demand.ipsByConnections),
          whole(demand.ips),
          percent(Math.max(demand.paceUsed, demand.connectionsUsed)),
        ]),
        [
          'all',
          number(sum(({ verifications }) => verifications)),
          number(sum(conversations)),
          number(sum(({ openConnections }) => openConnections)),
          '',
          '',
          whole(Math.max(...demands.map(({ ips }) => ips))),
          '',
        ],
      ],
    ),
    '### The same, simulated',
    table(
      [
        'provider',
        'open connections',
        'by arithmetic',
        'mean wait',
        'p99 of the wait',
        'still waiting in the end',
      ],
      demands.map((demand) => {
        const { open, meanWait, p99Wait, left } = playDemand(demand, values);
        const { organisations, name } = demand.provider;
        return [
          name,
          number(open * organisations),
          number(demand.openConnections),
          `${number(meanWait)} s`,
          `${number(p99Wait)} s`,
          whole(left * organisations),
        ];
      }),
    ),
    `${PLAYED_S / 60} minutes of the busiest hour at each provider, or as long as ${FEWEST.toLocaleString('en')} conversations take, after ${WARM_UP_S / 60} minutes that are not counted, with the IP addresses that there are. Arrivals are by chance (Poisson). *all others* is one of its organisations, times their number.`,
    '### The database',
    table(
      ['', ''],
      [
        ['verifications a second, on average', number(storage.meanPerSecond)],
        ['verifications a second, in the busiest hour', number(storage.peakPerSecond)],
        ['rows of batches in a month', whole(storage.batchRows)],
        ['batches that are kept at any time', size(storage.batchesKept)],
        ['rows of the ledger in a month, for single requests', whole(storage.ledgerRows)],
        ['the ledger grows in a month by', size(storage.ledgerPerMonth)],
        ["PostgreSQL's log in a day", size(storage.walPerDay)],
        ["PostgreSQL's log in a second, in the busiest hour", size(storage.walAtPeak)],
      ],
    ),
  ]
    .join('\n\n')
    .concat('\n');
}
