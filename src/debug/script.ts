/** The script tag's entry: `<script src="https://widget.example/v2/debug.js"></script>`, before the widget's. */
import { logDecisions } from './index.ts';

logDecisions();
