export const HEADER_MEANINGS: Readonly<Record<string, string>>;
export const CLAIM_MEANINGS: Readonly<Record<string, string>>;
export const REFUSALS: Readonly<Record<string, string>>;
export function wordValue(name: string, value: unknown): string;
