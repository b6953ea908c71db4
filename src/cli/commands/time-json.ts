/** A time as commands print it. */
export const timeJson = (at: Date | null) => at?.toISOString() ?? null;
