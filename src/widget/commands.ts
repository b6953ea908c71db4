/** The global function `emailVerify(…)`: what was called before the script arrived, and what is called after. */

import type { GivenOptions } from './options.ts';
import type { Widget } from './widget.ts';

/** `emailVerify(name, value)`, `emailVerify({ name: value, … })`, `emailVerify('verify', input)`, `emailVerify('destroy')`. */
export interface Command {
  (nameOrOptions: string | GivenOptions, value?: unknown): unknown;
  /** Of the script: what `package.json` says. */
  version?: string;
}

/** Written in by the build. */
declare const VERSION: string;

export function createCommand(widget: Widget): Command {
  return (nameOrOptions, value) => {
    if (nameOrOptions === 'verify') return widget.verify(value as HTMLInputElement);
    if (nameOrOptions === 'destroy') return widget.destroy();
    return widget.set(typeof nameOrOptions === 'string' ? { [nameOrOptions]: value } : nameOrOptions);
  };
}

/** Puts the command in the place of the page's queue, and carries out in order what the queue holds. */
export function replaceQueue(scope: Record<string, unknown>, name: string, command: Command): void {
  const queue = (scope[name] as { q?: ArrayLike<ArrayLike<unknown>> } | undefined)?.q;
  scope[name] = command;
  command.version = VERSION;
  [].map.call(queue ?? [], (call?: ArrayLike<unknown>) => command(call?.[0] as string, call?.[1]));
}
