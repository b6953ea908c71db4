/** Times in the reader's own time zone and words. The pages say them in UTC. */

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/** Rewrites each `<time datetime>` that names a moment. Those that name a day stay. */
export function tellLocalTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = MOMENT.format(moment);
    element.title = EXACT.format(moment);
  }
}
