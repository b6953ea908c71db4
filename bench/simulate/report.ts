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
      ['option', 'value', 'unit', 'meaning', 'source'],
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
        'IP addresses for the limit of the minute',
        'IP addresses for the connections',
        'IP addresses needed',
        'share of the limits in use',
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
    '### The same hour, simulated',
    table(
      ['provider', 'open connections', 'computed', 'mean wait', 'p99 of the wait', 'waiting at the end'],
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
    `The simulation plays ${PLAYED_S / 60} minutes of the busiest hour at each provider, with all IP addresses. It plays longer if there are fewer than ${FEWEST.toLocaleString('en')} conversations. The first ${WARM_UP_S / 60} minutes do not count. Conversations arrive at random (Poisson). For *all others*, it plays one organisation, and multiplies by their number.`,
    '### The database',
    table(
      ['', ''],
      [
        ['verifications a second, on average', number(storage.meanPerSecond)],
        ['verifications a second, in the busiest hour', number(storage.peakPerSecond)],
        ['addresses of batches in a month', whole(storage.batchRows)],
        ['size of the batches that the database keeps', size(storage.batchesKept)],
        ['rows of the ledger in a month, of single requests', whole(storage.ledgerRows)],
        ['growth of the ledger in a month', size(storage.ledgerPerMonth)],
        ["PostgreSQL's log in a day", size(storage.walPerDay)],
        ["PostgreSQL's log in a second, in the busiest hour", size(storage.walAtPeak)],
      ],
    ),
  ]
    .join('\n\n')
    .concat('\n');
}
