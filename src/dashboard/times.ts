/** Times in the reader's own time zone and words. The pages say them in UTC, each with these letters. */

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });
const ZONE_ID = 'time-zone';

/** Rewrites each `<time datetime>` that names a moment. Those that name a day stay. */
export function tellLocalTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = MOMENT.format(moment);
    // Names the zone of this very moment, which may be that of the other half of the year.
    element.title = EXACT.format(moment);
    tellZone();
  }
}

/** Says once, at the foot of the page, which time zone its times are of. */
function tellZone(): void {
  if (document.getElementById(ZONE_ID)) return;
  const line = document.createElement('p');
  line.id = ZONE_ID;
  line.className = 'hint';
  line.textContent = `Times are in your time zone, ${MOMENT.resolvedOptions().timeZone}. Days are those of UTC.`;
  document.querySelector('main')?.append(line);
}
