/** Shows events as they fire, newest first. Values are shown as text, never as markup. */
import { element } from './element.js';

/** A log that is left open all day stays a page one can scroll. */
const MOST_ENTRIES = 40;

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** @param {{ list: HTMLElement, emptyNote: HTMLElement, clearButton: HTMLElement }} parts */
export function createEventLog({ list, emptyNote, clearButton }) {
  const showNote = () => {
    list.hidden = list.childElementCount === 0;
    emptyNote.hidden = !list.hidden;
  };

  clearButton.addEventListener('click', () => {
    list.replaceChildren();
    showNote();
  });

  return {
    /**
     * @param {Event} event
     * @param {string} tone a class for its colour
     * @param {[name: string, value: unknown][]} members what the event brought
     */
    add(event, tone, members) {
      const now = new Date();
      const time = `${clock.format(now)}.${String(now.getMilliseconds()).padStart(3, '0')}`;
      const head = element(
        'p',
        { class: 'event' },
        element('span', { class: `event-type ${tone}` }, event.type),
        ' on ',
        // A form's own `name` is hidden by a field of that name.
        element('code', {}, event.target.getAttribute('name')),
        ' ',
        element('time', { datetime: now.toISOString(), dir: 'ltr' }, time),
      );
      list.prepend(element('li', {}, head, membersList(members)));
      while (list.childElementCount > MOST_ENTRIES) list.lastElementChild.remove();
      showNote();
    },
  };
}

/** The members of an event's detail by their full names: `verificationData.status`. */
export function membersOf(detail, prefix = '') {
  return Object.entries(detail).flatMap(([name, value]) =>
    value === Object(value) ? membersOf(value, `${prefix}${name}.`) : [[prefix + name, value]],
  );
}

/** @param {[name: string, value: unknown][]} members */
export function membersList(members) {
  const rows = members.map(([name, value]) => {
    const isBody = name.endsWith('.body');
    return element(
      'div',
      {},
      element('dt', {}, name),
      element('dd', {}, isBody ? bodyDetails(String(value)) : JSON.stringify(value)),
    );
  });
  return element('dl', { class: 'members', dir: 'ltr' }, ...rows);
}

/** A JSON text, folded to one line until it is opened. */
function bodyDetails(body) {
  let pretty = body;
  try {
    pretty = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Shown as it came.
  }
  return element(
    'details',
    {},
    element('summary', {}, `JSON text, ${body.length} characters`),
    element('pre', {}, pretty),
  );
}
