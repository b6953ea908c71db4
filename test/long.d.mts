/** Types of long.mjs. */
export const isLong: boolean;
export const isRest: boolean;
export const LEFT_FOR_LONG: Readonly<Record<string, string>>;
export const SHORTER: Readonly<Record<string, string>>;
export function rounds(few: number, many: number): number;
export const SEED: number;
export function specsLeft(): string[];
export function leftTests(): RegExp[];
export function restOfTests(): RegExp[];
