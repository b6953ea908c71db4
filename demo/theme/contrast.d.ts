export type Color = readonly number[];

export function luminance(color: Color): number;
export function contrastRatio(one: Color, other: Color): number;
export function formatRatio(ratio: number): string;
