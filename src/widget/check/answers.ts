/**
 * Remembers the service's results and the open requests of this page. The widget verifies no address twice, and two
 * inputs with the same new address share one request. Knows no policy: each reader forms its own verdict.
 */

import { addressKey } from './address.ts';
import type { Answer, Exchange, Outcome } from './request.ts';
import { isAnswer } from './request.ts';

/** How many results a page remembers before it forgets them all. Visitors need far fewer. */
const MOST_KNOWN = 1000;

export interface Inquiry {
  readonly _outcome: Promise<Outcome>;
  /** Ends this inquiry; call it once. When every inquiry for the address has ended, the request is aborted. */
  _abort(): void;
}

export interface Answers {
  _recall(address: string): Answer | undefined;
  _ask(address: string, start: () => Exchange): Inquiry;
}

export function createAnswers(): Answers {
  const known = new Map<string, Answer>();
  const inFlight = new Map<string, { _exchange: Exchange; _askers: number }>();

  return {
    _recall: (address) => known.get(addressKey(address)),

    _ask(address, start) {
      const key = addressKey(address);
      const shared = inFlight.get(key) ?? { _exchange: start(), _askers: 0 };
      const forget = () => inFlight.get(key) === shared && inFlight.delete(key);
      if (!shared._askers++) {
        inFlight.set(key, shared);
        void shared._exchange._outcome.then((outcome) => {
          forget();
          if (!isAnswer(outcome)) return;
          if (known.size >= MOST_KNOWN) known.clear();
          known.set(key, outcome);
        });
      }
      return {
        _outcome: shared._exchange._outcome,
        _abort() {
          if (--shared._askers) return;
          shared._exchange._abort();
          forget();
        },
      };
    },
  };
}
