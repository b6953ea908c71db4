/** The message that a page shows after a change. The redirect names the change in the query. */
import { queryParameters } from '../http/parameters.ts';
import type { Html } from '../pages/html.ts';
import { outcome } from '../pages/page-layout.ts';
import type { PersonVisit } from './visit.ts';

/** @param sentences by the value of `done`. Other values show no message. */
export function done(
  { request }: Pick<PersonVisit, 'request'>,
  sentences: Readonly<Record<string, string | Html>>,
): Html | undefined {
  const [name, ...others] = queryParameters(request).get('done') ?? [];
  if (typeof name !== 'string' || others.length > 0 || !Object.hasOwn(sentences, name)) return undefined;
  return outcome(sentences[name]!);
}
