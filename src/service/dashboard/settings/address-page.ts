/** `/dashboard/settings/address`: shows, exports and erases the data about one address in this account. */
import { recordAuditEvent } from '../../audit/audit-store.ts';
import { eraseAddress } from '../../batch/stored-address/erase-address.ts';
import { findAddress } from '../../batch/stored-address/find-address.ts';
import { counted } from '../../core/format.ts';
import { createSlots } from '../../core/slots.ts';
import { queryParameters } from '../../http/parameters.ts';
import { type Html, html } from '../../pages/html.ts';
import { outcome, problem } from '../../pages/page-layout.ts';
import { findInAccount } from '../../people/members/find-in-account.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import type { Fields } from '../form-fields.ts';
import { guardedActions } from '../guarded-form.ts';
import {
  actorOf,
  addAction,
  addPage,
  type DashboardDeps,
  type DashboardScope,
  type Visit,
} from '../visit.ts';
import { exportOf } from './address-export.ts';
import { foundSection } from './address-found.ts';

export const ADDRESS_PATH = '/dashboard/settings/address';
const EXPORT = `${ADDRESS_PATH}/export`;
const ERASE = `${ADDRESS_PATH}/erase`;
const MOST_CHARACTERS = 1_000;
/** Each reads all that the account stores, so many at once would hold up the requests of others. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 50;

export function addressPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;
  const slots = createSlots({ atOnce: MOST_AT_ONCE, ofOne: 1, mostWaiting: MOST_WAITING });

  addPage(scope, ADDRESS_PATH, { right: 'download' }, async (visit) =>
    send(visit, { address: '', done: readDone(visit) }),
  );

  addAction(scope, ADDRESS_PATH, { right: 'download', back: ADDRESS_PATH }, async (visit, fields) => {
    const address = readAddress(fields);
    if (typeof address !== 'string') return sendFault(visit, address);
    const { site, request, accountId } = visit;
    const found = await slots.run({ id: accountId }, () => findAddress(db, accountId, address));
    if (found === 'busy') return sendBusy(visit, address);
    const people = await findInAccount(db, accountId, address);
    const actions = { exportTo: site.link(EXPORT), eraseAt: site.link(ERASE), token: formToken(request) };
    return send(visit, { address, below: foundSection(visit, address, { ...found, ...people }, actions) });
  });

  addAction(scope, EXPORT, { right: 'download', back: ADDRESS_PATH }, async (visit, fields) => {
    const address = readAddress(fields);
    if (typeof address !== 'string') return sendFault(visit, address);
    const { accountId, reply } = visit;
    const found = await slots.run({ id: accountId }, () => findAddress(db, accountId, address));
    if (found === 'busy') return sendBusy(visit, address);
    const people = await findInAccount(db, accountId, address);
    const { rows, listRows, workbooks, responses } = found;
    await recordAuditEvent(db, {
      ...{ accountId, actor: actorOf(visit), action: 'address.export' },
      details: {
        ...{ results: rows.length, list_rows: listRows.length },
        ...{ workbooks: workbooks.length, responses: responses.length },
      },
    });
    // The file name must not contain the address.
    return reply
      .type('application/json; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="address-export.json"')
      .send(JSON.stringify(exportOf(address, { ...found, ...people }, new Date()), null, 2));
  });

  const add = guardedActions(scope, deps, { right: 'manageBatches', back: ADDRESS_PATH });

  add(ERASE, 'erase the address', async (visit, fields) => {
    const address = readAddress(fields);
    if (typeof address !== 'string') return sendFault(visit, address);
    const { accountId } = visit;
    const erased = await slots.run({ id: accountId }, () =>
      eraseAddress(db, accountId, address, actorOf(visit)),
    );
    if (erased === 'busy') return sendBusy(visit, address);
    const { results, list_rows, workbooks, responses, names } = erased;
    const counts = [results, list_rows, workbooks, responses, names];
    return visit.goTo(`${ADDRESS_PATH}?done=${counts.join('-')}`);
  });
}

interface Shown {
  readonly address: string;
  readonly fault?: string;
  readonly done?: Html | undefined;
  readonly below?: Html;
}

function send({ request, site, send }: Visit, { address, fault, done, below }: Shown) {
  const wrong = fault !== undefined && html` aria-invalid="true" autofocus`;
  return send({
    title: fault === undefined ? 'Data about an address' : 'Not looked up',
    main: html`<h1>Data about an address</h1>
${done}
${problem(fault)}
<form class="box" method="post" action="${site.link(ADDRESS_PATH)}" novalidate>
${formToken(request)}
<p class="field"><label for="address">Email address</label>
<input id="address" name="address" type="email" value="${address}" inputmode="email" autocomplete="off" autocapitalize="none" spellcheck="false"${wrong} aria-describedby="${fault === undefined ? '' : 'problem '}equal"></p>
<p class="note" id="equal">Capital letters do not matter. An address with a tag, such as ada+news@example.com, is a different address. Large lists take a few seconds.</p>
<p><button class="primary">Look up</button></p>
</form>
${below}
<p class="plain"><a href="${site.link('/dashboard/settings')}">Back to the settings</a></p>`,
  });
}

function sendFault(visit: Visit, { fault, address }: { fault: string; address: string }) {
  visit.reply.code(422);
  return send(visit, { address, fault });
}

function sendBusy(visit: Visit, address: string) {
  visit.reply.code(503);
  const fault = 'Too many searches are running at the moment. Try again in a moment.';
  return send(visit, { address, fault });
}

function readAddress(fields: Fields): string | { fault: string; address: string } {
  const address = (fields.get('address') ?? '').trim();
  if (address === '') return { fault: 'Type an address to look up.', address };
  const { length } = [...address];
  if (length <= MOST_CHARACTERS) return address;
  const fault = `Expected an address of at most ${MOST_CHARACTERS} characters, got ${length}. The address was not looked up.`;
  return { fault, address };
}

/** The message after erasing. The page's URL must not contain the address. */
function readDone({ request }: Visit): Html | undefined {
  const [done] = queryParameters(request).get('done') ?? [];
  const [, ...counts] = /^(\d{1,9})-(\d{1,9})-(\d{1,9})-(\d{1,9})-(\d{1,9})$/.exec(String(done)) ?? [];
  if (counts.length === 0) return undefined;
  const [results = 0, rows = 0, workbooks = 0, responses = 0, names = 0] = counts.map(Number);
  const parts = [
    results > 0 && counted(results, 'result'),
    rows > 0 && counted(rows, 'row of your lists', 'rows of your lists'),
    workbooks > 0 && counted(workbooks, 'kept workbook'),
    responses > 0 && counted(responses, 'stored response'),
    names > 0 && counted(names, 'name'),
  ].filter((part) => part !== false);
  const said =
    parts.length > 0 ? `The address was erased: ${parts.join(', ')}.` : 'There was no data to erase.';
  const alone =
    workbooks > 0 ? ` The downloads of ${counted(workbooks, 'workbook')} have one sheet now.` : '';
  return outcome(`${said}${alone} The counts of your batches stay.`);
}
