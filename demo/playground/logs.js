/**
 * What happens in the form, as lists with the newest on top: events, requests, warnings. Values are shown as text,
 * never as markup. None of them is a live region: who wants to know looks.
 */
import { element } from '../element.js';

/** A log that is left open all day stays a page one can scroll. */
const MOST_ENTRIES = 40;

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function timeNow() {
  const now = new Date();
  const text = `${clock.format(now)}.${String(now.getMilliseconds()).padStart(3, '0')}`;
  return element('time', { datetime: now.toISOString() }, text);
}

/** @param {{ list: HTMLElement, emptyNote: HTMLElement, count: HTMLElement }} parts */
function createLog({ list, emptyNote, count }) {
  const show = () => {
    list.hidden = list.childElementCount === 0;
    emptyNote.hidden = !list.hidden;
    count.textContent = list.hidden ? '' : ` ${list.childElementCount}`;
  };
  show();
  return {
    add(...parts) {
      const entry = element('li', {}, ...parts);
      list.prepend(entry);
      while (list.childElementCount > MOST_ENTRIES) list.lastElementChild.remove();
      show();
      return entry;
    },
    clear() {
      list.replaceChildren();
      show();
    },
  };
}

export function createEventLog(parts) {
  const log = createLog(parts);
  return {
    ...log,
    /** @param {{ type: string, name: string, tone: string, detail: object }} event */
    tell({ type, name, tone, detail }) {
      const head = element(
        'p',
        { class: 'event' },
        element('span', { class: `event-type ${tone}` }, type),
        ' on ',
        element('code', {}, name),
        ' ',
        timeNow(),
      );
      log.add(head, membersList(membersOf(detail)));
    },
  };
}

export function createWarningLog(parts) {
  const log = createLog(parts);
  return {
    ...log,
    tell({ level, text }) {
      log.add(
        element(
          'p',
          { class: 'event' },
          element('span', { class: 'event-type hint' }, level),
          ' ',
          timeNow(),
        ),
        element('p', { class: 'complaint' }, text),
      );
    },
  };
}

/** One entry for each request, to which the answer comes when it comes. */
export function createRequestLog(parts) {
  const log = createLog(parts);
  /** Those without an answer so far. */
  const pending = new Map();

  function settle(id, status, tone, ms) {
    const entry = pending.get(id);
    if (!entry) return undefined;
    pending.delete(id);
    entry.status.textContent = status;
    entry.status.className = `event-type ${tone}`;
    entry.time.textContent = `${ms} ms`;
    return entry;
  }

  return {
    ...log,
    asked({ id, method, url, body, ms }) {
      const { pathname, searchParams } = new URL(url, location.href);
      const parameters = [...(body ? new URLSearchParams(body) : searchParams)];
      const status = element('span', { class: 'event-type' }, '…');
      const time = element('time', {}, 'waiting');
      const members = membersList(parameters);
      const head = element(
        'p',
        { class: 'event' },
        status,
        element('code', {}, `${method} ${pathname}`),
        time,
      );
      log.add(head, members);
      pending.set(id, { status, time, members, startedAt: ms });
    },
    answered({ id, status, ms, body }) {
      const entry = settle(id, String(status), TONES[status] ?? 'error', ms);
      entry?.members.append(member('body', bodyDetails(body)));
    },
    failed({ id, status, ms, isGivenUp }) {
      const begun = status ? `${status}, ` : '';
      settle(id, `${begun}${isGivenUp ? 'cancelled' : 'no connection'}`, 'error', ms);
    },
    /** The form has gone, and with it whoever waited. */
    left() {
      for (const [id, { startedAt }] of pending) {
        settle(id, 'cancelled', 'error', Math.round(performance.timeOrigin + performance.now() - startedAt));
      }
    },
  };
}

const TONES = { 200: 'accepted', 249: 'hint' };

/** The members of an event's detail by their full names: `verificationData.status`. */
function membersOf(detail, prefix = '') {
  return Object.entries(detail).flatMap(([name, value]) =>
    value === Object(value) ? membersOf(value, `${prefix}${name}.`) : [[prefix + name, value]],
  );
}

/** @param {[name: string, value: unknown][]} members */
function membersList(members) {
  const rows = members.map(([name, value]) =>
    member(name, name.endsWith('.body') ? bodyDetails(String(value)) : JSON.stringify(value)),
  );
  return element('dl', { class: 'members' }, ...rows);
}

const member = (name, value) => element('div', {}, element('dt', {}, name), element('dd', {}, value));

/** A body, folded to one line until it is opened. */
function bodyDetails(body) {
  let pretty = body;
  let kind = 'Text';
  try {
    pretty = JSON.stringify(JSON.parse(body), null, 2);
    kind = 'JSON text';
  } catch {
    // Shown as it came.
  }
  return element(
    'details',
    {},
    element('summary', {}, `${kind}, ${body.length} characters`),
    element('pre', {}, pretty),
  );
}
