/**
 * The script's entry, of which there is one to a page: `<script src="https://widget.example/v2/debug.js"></script>` logs
 * always; loaded by the widget, it logs while the option `debug` says so.
 */
import { logDecisions, logWhileOptionSays } from './index.ts';

const MARK = Symbol.for('email-verify-widget/debug');
const scope = window as unknown as { [MARK]?: boolean };

if (!scope[MARK]) {
  scope[MARK] = true;
  // The widget imports it as a module, in which there is no current script.
  if (document.currentScript) logDecisions();
  else logWhileOptionSays();
}
