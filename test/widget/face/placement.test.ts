import { describe, expect, it } from 'vitest';
import { ABOVE, areaAt, BELOW, BESIDE } from '../../../src/widget/face/placement.ts';

const BOUNDS = { left: 8, top: 0, right: 792, bottom: 600 };
const INPUT = { left: 300, top: 200, right: 500, bottom: 230 };
const BOX = { width: 150, height: 40 };

describe('the area of a box', () => {
  it.each([
    ['below', BELOW, false, [300, 234]],
    ['beside', BESIDE, false, [504, 195]],
    ['above', ABOVE, false, [300, 156]],
    ['below, right-to-left', BELOW, true, [350, 234]],
    ['beside, right-to-left', BESIDE, true, [146, 195]],
    ['above, right-to-left', ABOVE, true, [350, 156]],
  ] as const)('%s', (_, side, isRightToLeft, [left, top]) => {
    expect(areaAt(side, INPUT, BOX, BOUNDS, isRightToLeft)).toEqual({
      left,
      top,
      right: left + BOX.width,
      bottom: top + BOX.height,
    });
  });

  it('stays within the bounds', () => {
    const atTheFoot = { left: 700, top: 570, right: 900, bottom: 600 };
    expect(areaAt(BELOW, atTheFoot, BOX, BOUNDS, false)).toMatchObject({ right: 792, bottom: 600 });
    const atTheHead = { left: -100, top: 10, right: 100, bottom: 40 };
    expect(areaAt(ABOVE, atTheHead, BOX, BOUNDS, false)).toMatchObject({ left: 8, top: 0 });
  });

  it('begins where the bounds begin when it is larger than they are', () => {
    const large = { width: 1_000, height: 900 };
    expect(areaAt(BELOW, INPUT, large, BOUNDS, true)).toMatchObject({ left: 8, top: 0 });
  });
});
