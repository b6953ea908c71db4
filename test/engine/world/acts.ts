/** What a scripted mail server can do at a stage. A step of a script is one act or several in a row. */

export type Act =
  /** A reply: one line, or several that are joined by line feeds. Each line is sent as written, with CR LF. */
  | string
  /** Bytes as they are. */
  | { readonly raw: string | Buffer }
  | { readonly waitMs: number }
  /** Waits for something of the test. */
  | { readonly until: Promise<unknown> }
  /** One byte at a time. */
  | { readonly trickle: string; readonly everyMs: number }
  /** So many bytes of one reply that never ends, with or without line ends. */
  | { readonly flood: number; readonly lineEnds: boolean }
  /** Says nothing more in this connection, and keeps it. */
  | { readonly do: 'silence' }
  /** Ends the connection in an orderly way. */
  | { readonly do: 'close' }
  /** Ends the connection with a TCP reset. */
  | { readonly do: 'reset' };

export type Step = Act | readonly Act[];

export const silence = { do: 'silence' } as const;
export const close = { do: 'close' } as const;
export const reset = { do: 'reset' } as const;
export const wait = (waitMs: number) => ({ waitMs });
export const until = (happened: Promise<unknown>) => ({ until: happened });
export const raw = (bytes: string | Buffer) => ({ raw: bytes });
export const trickle = (text: string, everyMs: number) => ({ trickle: text, everyMs });
export const flood = (bytes: number, lineEnds: boolean) => ({ flood: bytes, lineEnds });

/** A reply of several lines: `multiline(250, 'mx', 'SIZE')` is `250-mx` and `250 SIZE`. */
export const multiline = (code: number, ...lines: readonly string[]): string =>
  lines.map((line, index) => `${code}${index < lines.length - 1 ? '-' : ' '}${line}`).join('\n');
