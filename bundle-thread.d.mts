/** See `bundle-thread.mjs`. */
export function bundleThread(entry: string): Promise<string>;
