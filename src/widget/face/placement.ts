/** Places a floating box, from rectangles alone. Pure. surroundings.ts finds out what the box would cover. */

/** As in `DOMRect`, in pixels of the window. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The sides of the input. The box takes the first free one. `BESIDE` is the end of the line. */
export const BELOW = 0;
export const BESIDE = 1;
export const ABOVE = 2;

/** Between the input and the box. */
export const GAP_PX = 4;

/** The area of a box on one side of the input, moved only as far as the bounds require. */
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
