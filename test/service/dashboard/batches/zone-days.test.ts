import { expect, it } from 'vitest';
import { isZone, spanOf } from '../../../../src/service/dashboard/batches/zone-days.ts';

it.each([
  ['UTC', '2026-10-13', '2026-10-13T00:00:00.000Z', '2026-10-14T00:00:00.000Z'],
  ['Asia/Kolkata', '2026-10-13', '2026-10-12T18:30:00.000Z', '2026-10-13T18:30:00.000Z'],
  ['Pacific/Kiritimati', '2026-10-13', '2026-10-12T10:00:00.000Z', '2026-10-13T10:00:00.000Z'],
  ['Etc/GMT+12', '2026-10-13', '2026-10-13T12:00:00.000Z', '2026-10-14T12:00:00.000Z'],
  // Summer time begins and ends.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  // It begins at midnight, so that the day begins at one o'clock, and ends at midnight.
  ['Asia/Beirut', '2025-03-30', '2025-03-29T22:00:00.000Z', '2025-03-30T21:00:00.000Z'],
  ['Asia/Beirut', '2025-10-25', '2025-10-24T21:00:00.000Z', '2025-10-25T22:00:00.000Z'],
  // Samoa went over the date line, and left out this day.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
])('knows when a day begins and ends in %s: %s', (zone, day, from, until) => {
  const span = spanOf(day, zone);
  expect([span.from.toISOString(), span.until.toISOString()]).toEqual([from, until]);
});

it('knows the names of time zones, old ones too', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires'])
    expect([zone, isZone(zone)]).toEqual([zone, true]);
  for (const zone of ['', 'Europe/Nowhere', "'; --", 'x'.repeat(1_000), '\0', 'toString'])
    expect([zone, isZone(zone)]).toEqual([zone, false]);
});
