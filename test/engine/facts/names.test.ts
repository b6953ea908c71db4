import { expect, it } from 'vitest';
import { possibleName } from '../../../src/engine/facts/names.ts';

it.each([
  ['jane.doe', 'Jane', 'Doe'],
  ['JANE_DOE', 'Jane', 'Doe'],
  ['jo.li', 'Jo', 'Li'],
  ['𐐨𐐨.doe', '𐐀𐐨', 'Doe'],
  ['émile.österreich', 'Émile', 'Österreich'],
])('reads from %s the name %s %s', (user, firstName, lastName) => {
  expect(possibleName(user)).toEqual({ firstName, lastName, fullName: `${firstName} ${lastName}` });
});

it.each(['', 'jane', 'jane-doe', 'j.doe', 'jane.d', 'jane.doe2', '2jane.doe', 'jane.doe.smith', 'jane..doe'])(
  'reads no name from "%s"',
  (user) => {
    expect(possibleName(user)).toEqual({ firstName: null, lastName: null, fullName: null });
  },
);
