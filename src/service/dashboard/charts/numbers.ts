/** Numbers in readable form. */

const WHOLE = new Intl.NumberFormat('en-GB');
const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

/** `1,204` */
export const whole = (number: number): string => WHOLE.format(number);
/** `1.2K`, for the side of a chart. */
export const compact = (number: number): string => COMPACT.format(number);
/** `+5`, `−1,200`: with a real minus sign, which is as wide as a plus sign. */
export const signed = (number: number): string =>
  `${number > 0 ? '+' : number < 0 ? '−' : ''}${WHOLE.format(Math.abs(number))}`;

/** `1 credit`, `2,000 credits` */
export const some = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

/** `12 %`, and `under 1 %` for small shares above zero. */
export function share(part: number, all: number): string {
  const percent = all === 0 ? 0 : (100 * part) / all;
  if (percent > 0 && percent < 1) return 'under 1 %';
  return `${Math.round(percent > 99 && percent < 100 ? 99 : percent)} %`;
}
