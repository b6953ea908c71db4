/** The limit of different addresses per day and visitor, counted in the database for all processes. */
import type { Db } from '../database/schema.ts';
import { giveAddressBack, hasRoom, readSecondsToMidnight, takeAddress } from './limit-store.ts';
import type { UniquePerDayLimit } from './unique-per-day.ts';

/** @param max how many addresses each visitor may verify in a day */
export function createStoredUniquePerDayLimit(db: Db, max: number): UniquePerDayLimit {
  return {
    allows: (visitor, address) => hasRoom(db, visitor, address, max),
    take: (visitor, address) => takeAddress(db, visitor, address, max),
    giveBack: (visitor, address) => giveAddressBack(db, visitor, address),
    secondsToReset: () => readSecondsToMidnight(db),
  };
}
