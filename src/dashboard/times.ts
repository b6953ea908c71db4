/** Shows times in the reader's time zone. The pages state them in UTC. */
import { make } from './make.ts';

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });
const ZONE_ID = 'time-zone';

/** Rewrites each `<time datetime>` that has a time of day. Dates without one stay. */
export function tellLocalTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = MOMENT.format(moment);
    // Names the zone at that moment: summer time or standard time.
    element.title = EXACT.format(moment);
    tellZone();
  }
}

/** States the time zone of the page's times, once, in the footer. */
function tellZone(): void {
  if (document.getElementById(ZONE_ID)) return;
  const textContent = `Times are in your time zone, ${MOMENT.resolvedOptions().timeZone}.`;
  document.querySelector('main')?.append(make('p', { id: ZONE_ID, className: 'note', textContent }));
}

/** Has a form that chooses a day send the reader's time zone, unless the page has found something by a day of another one. */
export function chooseLocalDays(): void {
  const zone = document.querySelector<HTMLInputElement>('input[name="zone"]:disabled');
  if (!zone) return;
  zone.value = MOMENT.resolvedOptions().timeZone;
  zone.disabled = false;
  document.getElementById('day-zone')!.textContent = zone.value;
}
