export const CHECKS: Readonly<Record<string, string>>;
export const ISSUED_MEANINGS: Readonly<Record<string, string>>;
export const BOUND_MEANINGS: Readonly<Record<string, string>>;
