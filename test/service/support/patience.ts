/** How tests wait for an event: they look often, and for as long as a busy machine may need. */
export const PATIENTLY = { timeout: 300_000, interval: 20 } as const;
