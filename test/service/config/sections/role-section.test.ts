import { expect, it } from 'vitest';
import { checkRole, readRole } from '../../../../src/service/config/sections/role-section.ts';

const SERVER = { url: 'postgres://db.example/shop' };
const FOLDER = { folder: '/data' };

it.each(['web', 'worker', 'all'])('reads %s', (role) => {
  expect(readRole(role)).toBe(role);
});

it.each(['', 'Web', 'constructor', 'both'])('refuses %j', (text) => {
  const message = `Expected --role to be web, worker or all, got ${JSON.stringify(text)}.`;
  expect(() => readRole(text)).toThrow(message);
});

it.each([
  ['all', undefined],
  ['all', FOLDER],
  ['all', SERVER],
  ['web', undefined],
  ['web', SERVER],
  ['worker', SERVER],
] as const)('takes the role %s with %j', (role, database) => {
  expect(() => checkRole(role, database)).not.toThrow();
});

it.each([
  ['worker', undefined, 'Expected a database with the role worker, but there is none.'],
  ['worker', FOLDER, 'Expected the role all with a database in a folder, got worker.'],
  ['web', FOLDER, 'Expected the role all with a database in a folder, got web.'],
] as const)('refuses the role %s with %j', (role, database, message) => {
  expect(() => checkRole(role, database)).toThrow(message);
});
