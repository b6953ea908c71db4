// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { forgetDone } from '../../src/dashboard/done.ts';

const addressAfter = (path: string) => {
  history.replaceState(null, '', path);
  forgetDone();
  return `${location.pathname}${location.search}${location.hash}`;
};

beforeEach(() => {
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL('https://mail.example/');
});

it('says what was done once, and not again after a reload', () => {
  expect(addressAfter('/dashboard/batches/1?done=resumed')).toBe('/dashboard/batches/1');
  expect(addressAfter('/dashboard/settings?done=session#said')).toBe('/dashboard/settings#said');
});

it('keeps the rest of the address', () => {
  expect(addressAfter('/dashboard/batches/1?state=risky&done=sent&q=a')).toBe(
    '/dashboard/batches/1?state=risky&q=a',
  );
  expect(addressAfter('/dashboard/keys?page=2')).toBe('/dashboard/keys?page=2');
});
