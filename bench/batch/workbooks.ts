/** Measures the memory of the service while the results of a large list are read as a workbook. */
import pg from 'pg';
import { makeId } from '../../src/service/core/random-id.ts';
import { ADDRESS, RESULT } from '../history/fill.ts';
import { type Figure, round } from '../report.ts';
import { seconds, timed } from './addresses.ts';
import { openOwner, signIn } from './owner.ts';
import { startBatchWorld } from './world.ts';

const ROWS = [200_000, 1_000_000];
const MIB = 1024 * 1024;
const MOST_MORE_MIB = 300;
const PER_HOST = { connections: 1, perMinute: 1, recipientsPerConnection: 1 };

/** Of the list: texts, numbers, dates, booleans, and a column whose cells have three formats. */
const TITLES = ['Number', 'Email', 'Name', 'City', 'Since', 'Revenue', 'Active', 'Mixed', 'Zip', 'Note'];
const CELLS = `json_build_array(place::text, ${ADDRESS}, 'Person ' || place, 'City ' || place % 500, '01.01.2024',
  (place * 1.5)::text, 'TRUE', (place % 100)::text, lpad(place::text, 7, '0'), 'Note of ' || place)`;
const VALUES = `json_build_array(place, null, null, null, 45292 + place % 900, place * 1.5, true,
  json_build_array(place % 100, place % 3), null, null)`;
const FINDINGS = {
  addresses: [],
  sheet: 'Contacts',
  formats: ['General', null, null, null, 'dd.mm.yyyy', '#,##0.00'],
  textFormats: [null, null, null, null, null, null, null, null, '@'],
  otherFormats: ['0%', '0.00', 'General'],
};

export async function workbooks(share: number): Promise<Figure> {
  const found = [];
  for (const rows of ROWS) found.push(await readWorkbook(rows * share));
  const worst = Math.max(...found.map(({ moreMib }) => moreMib));
  return {
    title: 'Results as a workbook',
    how: `A list of ${TITLES.length} columns has a result for each of its rows, in the database. Somebody downloads all of them as XLSX. A process of the service for each. The memory is its resident set: before the download, after a garbage collection, and the largest one since its start.`,
    head: ['rows', 'seconds', 'size of the file', 'before', 'largest', 'more than before'],
    rows: found.map(({ rows, ms, bytes, beforeMib, peakMib, moreMib }) => [
      ...[rows.toLocaleString('en'), seconds(ms).toFixed(1), `${round(bytes / MIB)} MiB`],
      ...[beforeMib, peakMib, moreMib].map((each) => `${round(each)} MiB`),
    ]),
    targets: [
      {
        text: `at most ${MOST_MORE_MIB} MiB more than before`,
        found: `${round(worst)} MiB`,
        isMet: worst <= MOST_MORE_MIB,
      },
    ],
  };
}

async function readWorkbook(rows: number) {
  const world = await startBatchWorld({ mailServers: 1, replyMs: 0, perHost: PER_HOST });
  try {
    const { service, owner } = await openOwner(world, rows);
    const id = await fill(world.url, rows);
    const visitor = await signIn(service, owner);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const before = (await service.memory()).rss;
    let bytes = 0;
    const { ms } = await timed(async () => {
      const path = `/dashboard/batches/${id}/download?format=xlsx`;
      const response = await fetch(`${service.origin}${path}`, { headers: { cookie } });
      if (response.status !== 200) throw new Error(`Expected a 200, got ${response.status}.`);
      for await (const some of response.body!) bytes += (some as Uint8Array).length;
    });
    const peak = await service.peak();
    const found = { rows, ms, bytes, beforeMib: before / MIB, peakMib: peak / MIB };
    return { ...found, moreMib: found.peakMib - found.beforeMib };
  } finally {
    await world.close();
  }
}

/** A completed batch with its list, of the only account. */
async function fill(url: string, rows: number): Promise<string> {
  const [id, list] = [makeId(), makeId()];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The triggers keep sums that nobody reads here.
    await client.query('set session_replication_role = replica');
    await client.query(`insert into batches (
        id, account_id, mode, total, distinct_total, retries, created_at, completed_at, expires_at, reason_counts, name,
        stored_entries
      ) select '${id}', id, 'live', ${rows}, ${rows}, true, now(), now(), now() + interval '1 day',
        '{"accepted_email": ${rows}}', 'large.xlsx', ${rows} from accounts`);
    await client.query(`insert into batch_rows (batch_id, place, address, turn, attempt, reason, result)
      select '${id}', place, ${ADDRESS}, 0, 1, 'accepted_email', ${RESULT}
      from generate_series(0, ${rows - 1}) as place`);
    await client.query(
      `insert into lists (
        id, account_id, batch_id, name, header, columns, row_count, blank_rows, address_column, findings
      ) select '${list}', id, '${id}', 'large.xlsx', $1, ${TITLES.length}, ${rows}, 0, 1, $2 from accounts`,
      [JSON.stringify(TITLES), JSON.stringify(FINDINGS)],
    );
    await client.query(`insert into list_rows (list_id, number, cells, numbers, place)
      select '${list}', place + 1, ${CELLS}, ${VALUES}, place from generate_series(0, ${rows - 1}) as place`);
    await client.query('analyze batch_rows, list_rows');
    return id;
  } finally {
    await client.end();
  }
}
