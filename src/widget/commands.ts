/** The global function `emailVerify(…)`, and the queue of calls from before the script loaded. */

import { isText } from '../protocol/text.ts';
import type { GivenOptions } from './options.ts';
import type { Widget } from './widget.ts';

/** `emailVerify(name, value)`, `emailVerify({ name: value, … })`, `emailVerify('verify', input)`, `emailVerify('destroy')`. */
export interface Command {
  (nameOrOptions: string | GivenOptions, value?: unknown): unknown;
  /** The script's version, from `package.json`. */
  version?: string;
}

/** Written in by the build. */
declare const VERSION: string;

export function createCommand(widget: Widget): Command {
  return (nameOrOptions, value) => {
    if (nameOrOptions === 'verify') return widget.verify(value as HTMLInputElement);
    if (nameOrOptions === 'destroy') return widget.destroy();
    return widget.set(isText(nameOrOptions) ? { [nameOrOptions]: value } : nameOrOptions);
  };
}

/** Replaces the page's queue by the command, and runs the queued calls in order. */
export function replaceQueue(scope: Record<string, unknown>, name: string, command: Command): void {
  const queue = (scope[name] as { q?: ArrayLike<ArrayLike<unknown>> } | undefined)?.q;
  scope[name] = command;
  command.version = VERSION;
  [].map.call(queue ?? [], (call?: ArrayLike<unknown>) => command(call?.[0] as string, call?.[1]));
}
