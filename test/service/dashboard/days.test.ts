/** Days are counted in UTC, beside moments that scripts show in the reader's time zone. So each page with a day says so. */
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';
import { makePerson, Visitor } from '../support/visitor.ts';

const { db, run } = await testDatabase();

it('says UTC wherever a day is shown or chosen', async () => {
  const { app } = await startStoredService(db);
  const person = await makePerson(db, 10);
  const { id } = await storeKey(db, person.id, { kind: 'public', mode: 'live' });
  await run`
    insert into daily_results values
      (${person.id}, (now() at time zone 'UTC')::date, 'verify', 'live', 'accepted_email', 1)
  `;
  const visitor = await new Visitor(app).signIn(person);
  const today = new Date().toISOString().slice(0, 10);
  const textsOf = (path: string, selector: string) =>
    visitor
      .open(`/dashboard/${path}`)
      .then(() => [...visitor.document.querySelectorAll(selector)].map(({ textContent }) => textContent));
  expect(await textsOf('', '.cards h2')).toContain('Verified today (UTC)');
  const inUtc = expect.stringMatching(/ Days are in UTC\.$/);
  expect(await textsOf('', 'figcaption')).toEqual([inUtc, inUtc]);
  expect(await textsOf('usage', 'th, label, caption')).toEqual(
    expect.arrayContaining(['Month (UTC)', 'Day (UTC)', 'Totals by month (UTC)']),
  );
  expect(await textsOf(`usage?view=rows&day=${today}`, 'p > strong')).toContainEqual(
    expect.stringMatching(/^All changes on \d+ \w+ \d{4} \(UTC\):$/),
  );
  expect(await textsOf(`usage?month=${today.slice(0, 7)}`, 'p > strong')).toContainEqual(
    expect.stringMatching(/^All changes in \w+ \d{4} \(UTC\):$/),
  );
  expect(await textsOf(`keys/${id}`, 'dt')).toContain('Credits today (UTC)');
  for (const path of ['security', 'security/since', 'batches?q=a']) {
    const labels = await textsOf(path, 'label:has(+ [type=date])');
    expect(labels, path).toEqual([expect.stringMatching(/ \(UTC\)$/)]);
  }
});
