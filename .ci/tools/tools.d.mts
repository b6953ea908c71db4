/** See `tools.mjs`. */
export function toolFile(path: string): string;
// biome-ignore lint/suspicious/noExplicitAny: Their types are in the folder too, and may be missing.
export function loadTool(name: string): any;
export function isInstalled(folder: string): boolean;
