/** The packaged mail servers of disposable mailboxes. */
import { expect, it } from 'vitest';
import { RELAYS } from '../../../src/engine/facts/disposable.ts';
import { DISPOSABLE_MAIL_SERVERS } from '../../../src/engine/facts/disposable-mail-servers.ts';
import { parseList } from '../../../src/engine/facts/operator-lists.ts';
import { PROVIDERS } from '../../../src/engine/provider-table.ts';
import { organisationOf } from '../../../src/engine/providers.ts';
import { atOnce } from '../../../src/shared/steps.ts';

it('has every entry once, in the form in which it is looked up', () => {
  const fault = (message: string) => expect.fail(message);
  const { added } = atOnce(parseList(DISPOSABLE_MAIL_SERVERS.join('\n'), 'disposable-mx', fault));
  expect([...added]).toEqual(DISPOSABLE_MAIL_SERVERS);
  expect(added.size).toBe(24);
});

it('contains no relay and no provider, and nothing above or below one', () => {
  const isWithin = (name: string, parent: string) => name === parent || name.endsWith(`.${parent}`);
  const wrong = DISPOSABLE_MAIL_SERVERS.filter(
    (name) =>
      organisationOf(name).provider !== undefined ||
      [...RELAYS].some((relay) => isWithin(name, relay) || isWithin(relay, name)),
  );
  expect(wrong).toEqual([]);
  const hosts = PROVIDERS.flatMap((provider) => provider.hosts.map((host) => host.replace('*', 'any')));
  expect(hosts.filter((host) => DISPOSABLE_MAIL_SERVERS.some((name) => isWithin(host, name)))).toEqual([]);
});
