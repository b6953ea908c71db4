/** Where a floating box goes, from rectangles alone. Pure: surroundings.ts finds what the box must not cover. */

/** As `DOMRect` has it, in pixels of the window. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The sides of the input: the box takes the first of them that is free. Beside is where a line of text ends. */
export const [BELOW, BESIDE, ABOVE] = [0, 1, 2] as const;

/** Between the input and the box. */
export const GAP_PX = 4;

/** The area of a box on one side of the input, moved no further than the bounds demand. */
export function areaAt(
  side: number,
  input: Area,
  { width, height }: { readonly width: number; readonly height: number },
  bounds: Area,
  isRightToLeft: boolean,
): Area {
  let left = isRightToLeft ? input.right - width : input.left;
  let top = side === ABOVE ? input.top - GAP_PX - height : input.bottom + GAP_PX;
  if (side === BESIDE) {
    left = isRightToLeft ? input.left - GAP_PX - width : input.right + GAP_PX;
    top = (input.top + input.bottom - height) / 2;
  }
  left = Math.max(bounds.left, Math.min(left, bounds.right - width));
  top = Math.max(bounds.top, Math.min(top, bounds.bottom - height));
  return { left, top, right: left + width, bottom: top + height };
}
