/** Days in the cells of a workbook, which count them from 1900 or from 1904. */

/** Days from the first day of 1900 to that of 1904 (ECMA-376, part 1, section 18.17.4.1). */
export const DAYS_TO_1904 = 1_462;

/** Whether a number format shows days or times. */
export const isDate = (pattern: string): boolean =>
  /[dmyhs]/i.test(pattern.replace(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, ''));
