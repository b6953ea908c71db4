/**
 * What the service has said in this page, and what it is being asked right now: no address is asked twice, and
 * two inputs with the same new address share one request. Knows no policy: a verdict is formed anew from the
 * answer by whoever reads it.
 */

import { addressKey } from './address.ts';
import type { Answer, Exchange, Outcome } from './request.ts';
import { isAnswer } from './request.ts';

/** How many answers a page remembers before it begins anew: far more than a visitor asks for. */
const MOST_KNOWN = 1000;

export interface Inquiry {
  readonly _outcome: Promise<Outcome>;
  /** This asker is no longer interested (to be said once); the last one to say so aborts the request. */
  _cancel(): void;
}

export interface Answers {
  _recall(address: string): Answer | undefined;
  _ask(address: string, start: () => Exchange): Inquiry;
}

export function createAnswers(): Answers {
  const known = new Map<string, Answer>();
  const inFlight = new Map<string, { exchange: Exchange; askers: number }>();

  return {
    _recall: (address) => known.get(addressKey(address)),

    _ask(address, start) {
      const key = addressKey(address);
      const shared = inFlight.get(key) ?? { exchange: start(), askers: 0 };
      const forget = () => inFlight.get(key) === shared && inFlight.delete(key);
      if (!shared.askers++) {
        inFlight.set(key, shared);
        void shared.exchange._outcome.then((outcome) => {
          forget();
          if (!isAnswer(outcome)) return;
          if (known.size >= MOST_KNOWN) known.clear();
          known.set(key, outcome);
        });
      }
      return {
        _outcome: shared.exchange._outcome,
        _cancel() {
          if (--shared.askers) return;
          shared.exchange._abort();
          forget();
        },
      };
    },
  };
}
