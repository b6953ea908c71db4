/** The entry of the script tag. It is the only file of the widget that acts when it is loaded. */

import { isText } from '../protocol/text.ts';
import { createCommand, replaceQueue } from './commands.ts';
import { loadBeside } from './load-beside.ts';
import { presentWidget, setPresentWidget, warnOfSecond } from './only-one.ts';
import { create, runningScript } from './prototypes.ts';
import { createWidget } from './widget.ts';

if (presentWidget()) {
  warnOfSecond();
} else {
  const scope = window as unknown as Record<string, unknown>;
  const { EmailVerifyObject: name } = scope;
  // Without one, such as in a module, an empty one has the same properties.
  const script = runningScript() ?? (create('script') as HTMLScriptElement);
  const widget = createWidget(
    // An inline script has the page's origin.
    () => (script.src ? new URL(script.src) : location).origin,
    loadBeside(script),
    () => script.dataset,
  );
  setPresentWidget(widget);
  replaceQueue(scope, isText(name) ? name : 'emailVerify', createCommand(widget));
}
