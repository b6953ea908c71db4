import { expect, it } from 'vitest';
import { momentText } from '../../../src/service/core/format.ts';
import { withMoments } from '../../../src/service/dashboard/moment.ts';

it('marks the moments of a message, so that they are shown in the time zone of their reader', () => {
  const [one, other] = [new Date('2026-09-01T23:05:00Z'), new Date('2026-11-27T14:05:00Z')];
  expect(withMoments(`From ${momentText(one)} to ${momentText(other)}. <b>`).toString()).toBe(
    'From <time datetime="2026-09-01T23:05:00.000Z">1 Sept 2026, 23:05 UTC</time> to ' +
      '<time datetime="2026-11-27T14:05:00.000Z">27 Nov 2026, 14:05 UTC</time>. &lt;b&gt;',
  );
  expect(withMoments('Try again in a moment.').toString()).toBe('Try again in a moment.');
});
