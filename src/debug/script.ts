/**
 * The script's entry, which acts once in a page. In a tag of its own, such as
 * `<script src="https://widget.example/v2/email-verify-widget-debug.js"></script>`, it always logs. If the widget loads
 * it, it logs while the option `debug` is true.
 */
import { logDecisions, logWhileOptionSays } from './index.ts';

const MARK = Symbol.for('email-verify-widget/debug');
const scope = window as unknown as { [MARK]?: boolean };

if (!scope[MARK]) {
  scope[MARK] = true;
  // The widget imports it as a module, which has no current script.
  if (document.currentScript) logDecisions();
  else logWhileOptionSays();
}
