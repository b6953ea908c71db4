/** Shares one attempt among callers that want the same thing at the same time. */
import { OwnSignal, type Signal } from '../signal.ts';

interface Flight<Value> {
  readonly result: Promise<Value>;
  readonly ending: OwnSignal;
  waiting: number;
}

/** An attempt goes on until it has a result, or until the last caller has left. */
export function createShared<Value>() {
  const flights = new Map<string, Flight<Value>>();

  const begin = (key: string, start: (signal: Signal) => Promise<Value>): Flight<Value> => {
    const ending = new OwnSignal();
    const flight: Flight<Value> = { result: start(ending), ending, waiting: 0 };
    flights.set(key, flight);
    void flight.result.then(() => forget(key, flight));
    return flight;
  };
  const forget = (key: string, flight: Flight<Value>) => {
    // The next attempt may have begun after the last caller of this one left.
    if (flights.get(key) === flight) flights.delete(key);
  };

  return {
    /**
     * @param start must not reject. Its signal aborts when the last caller has left
     * @param signal ends only this caller's wait
     * @returns the result, or `undefined` if the signal aborts
     */
    join(key: string, start: (signal: Signal) => Promise<Value>, signal: Signal): Promise<Value | undefined> {
      if (signal.aborted) return Promise.resolve(undefined);
      const flight = flights.get(key) ?? begin(key, start);
      flight.waiting += 1;
      return new Promise((resolve) => {
        let waits = true;
        const leave = (value: Value | undefined) => {
          if (!waits) return;
          waits = false;
          signal.removeEventListener('abort', onAbort);
          flight.waiting -= 1;
          if (flight.waiting === 0) {
            forget(key, flight);
            flight.ending.abort();
          }
          resolve(value);
        };
        const onAbort = () => leave(undefined);
        signal.addEventListener('abort', onAbort);
        void flight.result.then(leave);
      });
    },

    /** Aborts all attempts. */
    close() {
      for (const flight of flights.values()) flight.ending.abort();
    },
  };
}
