import { expect, it } from 'vitest';
import { createUnknownKeyLimit } from '../../../src/service/limits/unknown-keys.ts';

const IP = '198.51.100.7';

function open() {
  let at = 0;
  const limit = createUnknownKeyLimit(() => at);
  return {
    ...limit,
    pass: (ms: number) => {
      at += ms;
    },
    count: (times: number, ip = IP) => {
      for (let sent = 0; sent < times; sent += 1) limit.count(ip);
    },
  };
}

it('refuses a network for a minute after more than 100 unknown keys in a minute', () => {
  const { count, refusedFor, pass } = open();
  count(100);
  expect(refusedFor(IP)).toBe(0);
  pass(59_000);
  count(1);
  expect(refusedFor(IP)).toBe(60);
  pass(30_500);
  // Further ones do not make it longer.
  count(50);
  expect(refusedFor(IP)).toBe(30);
  pass(29_500);
  expect(refusedFor(IP)).toBe(0);
  count(100);
  expect(refusedFor(IP)).toBe(0);
});

it('begins again with each minute', () => {
  const { count, refusedFor, pass } = open();
  for (let minute = 0; minute < 3; minute += 1) {
    count(100);
    pass(60_000);
  }
  expect(refusedFor(IP)).toBe(0);
});

it('counts each network by itself, and one /48 as one network: its /64s are as many as anybody wants', () => {
  const { count, refusedFor } = open();
  count(60, '2001:db8:0:1::1');
  count(60, '2001:db8:0:ffff::2');
  expect(refusedFor('2001:db8:0:2::3')).toBe(60);
  expect([refusedFor('2001:db8:1:1::1'), refusedFor(IP)]).toEqual([0, 0]);
});

it('forgets who came first once more than 10,000 networks have come', () => {
  const { count, refusedFor } = open();
  count(101);
  for (let number = 1; number < 10_000; number += 1) count(1, `network ${number}`);
  expect(refusedFor(IP)).toBe(60);
  count(1, 'one more');
  expect(refusedFor(IP)).toBe(0);
});
