export interface Token {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}
export function readToken(text: string): Token | undefined;
export type Change = 'character' | 'score' | 'algorithm' | 'key';
export const CHANGES: Readonly<Record<Change, (parts: string[]) => string[]>>;
export function falsify(text: string, change: Change): string;
