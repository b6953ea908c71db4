/**
 * The script's entry, which acts once in a page. In a tag of its own, such as
 * `<script src="https://widget.example/v2/email-verify-widget-debug.js"></script>`, it logs always; loaded by the
 * widget, it logs while the option `debug` says so.
 */
import { logDecisions, logWhileOptionSays } from './index.ts';

const MARK = Symbol.for('email-verify-widget/debug');
const scope = window as unknown as { [MARK]?: boolean };

if (!scope[MARK]) {
  scope[MARK] = true;
  // The widget imports it as a module: that has no current script.
  if (document.currentScript) logDecisions();
  else logWhileOptionSays();
}
