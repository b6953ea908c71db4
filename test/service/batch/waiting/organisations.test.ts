import { expect, it } from 'vitest';
import {
  countByOrganisation,
  organisationName,
} from '../../../../src/service/batch/waiting/organisations.ts';

it('knows large providers, servers of other addresses, and otherwise the domain', () => {
  const open = (domain: string, addresses: number) => ({ domain, addresses });
  const counts = countByOrganisation(
    [open('gmail.com', 3), open('shop.example', 2), open('googlemail.com', 1), open('mail.other.example', 4)],
    [{ domain: 'shop.example', mx_record: 'shop-example.mail.protection.outlook.com' }],
  );
  expect(Object.fromEntries(counts)).toEqual({ google: 4, microsoft: 2, 'other.example': 4 });
});

it('calls organisations what people call them', () => {
  const names = ['microsoft', 'google', 'gmx', 'network solutions', 'mailbox.org', 'corp.example'];
  expect(names.map(organisationName)).toEqual([
    ...['Microsoft', 'Google', 'GMX', 'Network Solutions', 'mailbox.org', 'corp.example'],
  ]);
});
